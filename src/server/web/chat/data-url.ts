/** Returns the bytes as a data: address, which the policy of the page lets an image have. */
export function toDataUrl(blob: Blob): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : "");
    reader.onerror = () => reject(reader.error ?? new Error("the bytes cannot be read"));
    reader.readAsDataURL(blob);
  });
}
