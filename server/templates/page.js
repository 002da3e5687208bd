// Buttons of the pages that need a script: they are hidden until it runs.

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied: the browser does not allow it";
    }
    setTimeout(() => { button.textContent = label; }, 3000);
  });
}

for (const button of document.querySelectorAll("button[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// Times are in UTC until the script shows them in the reader's time zone.
const local = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" });
for (const time of document.querySelectorAll("time[data-local]")) {
  time.textContent = local.format(new Date(time.dateTime)).replace(" at ", ", ");
}
