/** Gives the user a file. */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the download has begun
}

/** Copies text, and says so on the button for a moment. */
export async function copyText(text, button) {
  const copied = await writeClipboard(text);
  const label = (button.dataset.label ??= button.textContent);
  button.textContent = copied ? "Copied" : "Not allowed";
  setTimeout(() => (button.textContent = label), 1500);
}

/** Reports whether text is on the clipboard, which browsers give to pages of secure origins only. */
async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyOfSelection(text);
  }
}

/** Copies text as a selection, which all origins may. */
function copyOfSelection(text) {
  const area = document.body.appendChild(document.createElement("textarea"));
  area.value = text;
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
