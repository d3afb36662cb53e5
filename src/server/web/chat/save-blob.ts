/** Hands bytes to the browser as a file to save. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replace(/[/\\:*?"<>|\n]+/g, " ").slice(0, 120);
  link.click();
  // The browser has begun to save it when the click returns; it is freed once that has surely ended.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
