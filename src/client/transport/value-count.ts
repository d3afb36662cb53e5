const quote = 0x22;
const backslash = 0x5c;
/** What parts the values of a JSON text; a key (`:`) takes as long to read as two values. */
const weights = new Uint8Array(256);
for (const mark of [",", "[", "{"]) weights[mark.charCodeAt(0)] = 1;
weights[":".charCodeAt(0)] = 2;

/** Counts the values and keys of a JSON text as its bytes come: their number, not its length, is what makes it slow to parse. */
export class ValueCount {
  #count = 0;
  #isInString = false;
  #isEscaped = false;

  get count(): number {
    return this.#count;
  }

  add(bytes: Uint8Array): void {
    let count = this.#count;
    let isInString = this.#isInString;
    let isEscaped = this.#isEscaped;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (isEscaped) isEscaped = false;
      else if (byte === quote) isInString = !isInString;
      else if (isInString) isEscaped = byte === backslash;
      else count += weights[byte] ?? 0;
    }
    this.#count = count;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
  }
}
