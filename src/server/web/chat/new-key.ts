/** Known to this page alone, and to the server as what tells a question from the same one asked again. */
export function createKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
