-- A trigger, whose body has semicolons of its own; this comment has one too; and "quotes'.
CREATE TABLE ban (
    id     TEXT PRIMARY KEY,
    reason TEXT NOT NULL DEFAULT 'none; really'
);

CREATE TRIGGER banned BEFORE INSERT ON mark
WHEN NEW.id LIKE 'banned%'
BEGIN
    INSERT INTO ban (id) VALUES (NEW.id);
    SELECT CASE WHEN NEW.id = 'banned' THEN RAISE(ROLLBACK, 'this mark is banned') END;
END;
