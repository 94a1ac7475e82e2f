// Applies the theme that the user chose before the page is painted: a module would run later.
{
  const name = "softsearch-theme";
  const root = document.documentElement;
  try {
    root.dataset.theme = localStorage.getItem(name) ?? "";
  } catch {
    root.dataset.theme = ""; // the browser keeps nothing
  }
  addEventListener("DOMContentLoaded", () => {
    const select = document.querySelector("#theme");
    select.value = root.dataset.theme;
    select.addEventListener("change", () => {
      root.dataset.theme = select.value;
      try {
        localStorage.setItem(name, select.value);
      } catch {
        // It holds for this page.
      }
    });
  });
}
