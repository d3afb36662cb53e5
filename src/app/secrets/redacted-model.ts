import type { AssistantMessage, TextPhase } from "../../core/model/messages.ts";
import { type Model, replaceStream } from "../../core/model/model.ts";
import { type Redactor, redactValue } from "../../kit/text/redact.ts";

/**
 * Wraps a model so that nothing it writes repeats a known secret: not its answer, its reasoning, the arguments of its calls or
 * the words with which it refuses.
 */
export function createRedactedModel(model: Model, redactor: Redactor): Model {
  return replaceStream(model, async (request, onEvent, signal) => {
    /** Waits with the text that it belongs to, where that is held back. */
    let phase: TextPhase | undefined;
    const streams = { "text-delta": redactor.openStream(), "reasoning-delta": redactor.openStream() };
    function endStream(type: keyof typeof streams): void {
      emit(type, streams[type].end());
    }
    function emit(type: keyof typeof streams, text: string): void {
      if (text === "") return;
      const label = type === "text-delta" && phase ? { phase } : undefined;
      if (label) phase = undefined;
      onEvent({ type, text, ...label });
    }
    const turn = await model.stream(
      request,
      (event) => {
        if (event.type === "notice") return onEvent({ ...event, message: redactor.redact(event.message) });
        if (event.type !== "text-delta" && event.type !== "reasoning-delta") return onEvent(event);
        // What was thought is shown before what is said after it.
        endStream(event.type === "text-delta" ? "reasoning-delta" : "text-delta");
        if (event.type === "text-delta") phase = event.phase ?? phase;
        emit(event.type, streams[event.type].push(event.text));
      },
      signal,
    );
    endStream("reasoning-delta");
    endStream("text-delta");
    return {
      ...turn,
      message: redactMessage(turn.message, redactor),
      ...(turn.refusal !== undefined && { refusal: redactor.redact(turn.refusal) }),
    };
  });
}

/** Leaves `native` as it is, which goes back to its author alone. */
function redactMessage({ native, ...message }: AssistantMessage, { redact }: Redactor): AssistantMessage {
  const cleaned = redactValue(message, redact);
  return native === undefined ? cleaned : { ...cleaned, native };
}
