import type { Text } from "../../../kit/locale.ts";

/** Represents a token that is not accepted. `text` says why, and contains nothing of the token. */
export class InvalidTokenError extends Error {
  override readonly name = "BadToken";
  readonly text: Text;

  constructor(text: Text) {
    super(text.en);
    this.text = text;
  }
}
