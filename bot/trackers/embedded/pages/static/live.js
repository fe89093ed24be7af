// Shows a thread anew when something was said or done in it. The page works without.
const page = document.body.dataset;

function writing() {
  return [...document.querySelectorAll("textarea, input[type=text]")].some((field) => field.value !== field.defaultValue);
}

async function look() {
  try {
    const answer = await fetch(page.versionUrl, { cache: "no-store" });
    if (answer.ok && (await answer.text()) !== page.version) {
      if (!writing()) {
        location.reload();
        return;
      }
      document.getElementById("stale").hidden = false;
    }
  } catch {
    // The tracker is being restarted; the next look may find it.
  }
  setTimeout(look, 1000);
}

if (page.versionUrl) {
  setTimeout(look, 1000);
}
