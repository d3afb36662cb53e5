/** Returns a key that only this page knows. The server uses it to recognise a question that is sent again. */
export function createKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
