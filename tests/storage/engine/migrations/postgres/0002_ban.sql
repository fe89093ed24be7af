-- Triggers, whose functions have semicolons and quotes of their own; this comment has one too; and "quotes'.
CREATE TABLE ban (
    id     TEXT PRIMARY KEY,
    reason TEXT NOT NULL DEFAULT 'none; really'
);

CREATE FUNCTION banned() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    INSERT INTO ban (id) VALUES (NEW.id);
    IF NEW.id = 'banned' THEN
        RAISE EXCEPTION 'this mark is banned';
    END IF;
    RETURN NEW;
END;
$body$;

CREATE TRIGGER banned BEFORE INSERT ON mark FOR EACH ROW WHEN (NEW.id LIKE 'banned%') EXECUTE FUNCTION banned();

-- Ends the connection in the middle of the commit, so that nobody hears how it ended.
CREATE FUNCTION doomed() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    PERFORM pg_terminate_backend(pg_backend_pid());
    RETURN NULL;
END;
$body$;

CREATE CONSTRAINT TRIGGER doomed AFTER INSERT ON mark DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.id = 'doomed') EXECUTE FUNCTION doomed();
