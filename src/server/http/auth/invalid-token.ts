import type { Text } from "../../../kit/errors.ts";

/** A token that lets nobody in; `text` says why, with nothing of the token in it. */
export class InvalidTokenError extends Error {
  override readonly name = "BadToken";
  readonly text: Text;

  constructor(text: Text) {
    super(text.en);
    this.text = text;
  }
}
