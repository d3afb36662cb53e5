export type ReasoningDetail = Record<string, unknown>;

/**
 * Collects the `reasoning_details` of OpenRouter and other gateways, which the model needs back, signatures included. The pieces
 * of a long text are joined; everything else is sent back as it came.
 */
export class ReasoningDetails {
  #details: ReasoningDetail[] = [];

  add(pieces: readonly ReasoningDetail[]): void {
    for (const piece of pieces) {
      const held = this.#details.at(-1);
      if (held && isContinuation(held, piece)) this.#details[this.#details.length - 1] = joinPieces(held, piece);
      else this.#details.push(piece);
    }
  }

  /** Returns undefined when no details arrived. */
  whole(): ReasoningDetail[] | undefined {
    return this.#details.length > 0 ? [...this.#details] : undefined;
  }
}

const textFields: Readonly<Record<string, string>> = { "reasoning.text": "text", "reasoning.summary": "summary" };

function isContinuation(held: ReasoningDetail, piece: ReasoningDetail): boolean {
  const sameBlock = held.type === piece.type && held.index === piece.index;
  return sameBlock && textFields[String(piece.type)] !== undefined && (!held.signature || !piece.signature);
}

/** The signature comes with the last piece. A field that is null in one piece leaves the whole unchanged. */
function joinPieces(held: ReasoningDetail, piece: ReasoningDetail): ReasoningDetail {
  const field = textFields[String(piece.type)] ?? "text";
  const said = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  return { ...held, ...Object.fromEntries(said), [field]: `${held[field] ?? ""}${piece[field] ?? ""}` };
}
