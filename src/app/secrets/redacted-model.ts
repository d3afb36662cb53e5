import type { AssistantMessage } from "../../core/messages.ts";
import { type Model, replaceStream } from "../../core/model.ts";
import { type Redactor, redactValue } from "../../kit/text/redact.ts";

/** Wraps a model so that nothing it writes repeats a known secret: not its answer, its reasoning or the arguments of its calls. */
export function createRedactedModel(model: Model, redactor: Redactor): Model {
  return replaceStream(model, async (request, onEvent, signal) => {
    const streams = { "text-delta": redactor.openStream(), "reasoning-delta": redactor.openStream() };
    function endStream(type: keyof typeof streams): void {
      const text = streams[type].end();
      if (text !== "") onEvent({ type, text });
    }
    const turn = await model.stream(
      request,
      (event) => {
        if (event.type !== "text-delta" && event.type !== "reasoning-delta") return onEvent(event);
        // What was thought is shown before what is said after it.
        endStream(event.type === "text-delta" ? "reasoning-delta" : "text-delta");
        const text = streams[event.type].push(event.text);
        if (text !== "") onEvent({ ...event, text });
      },
      signal,
    );
    endStream("reasoning-delta");
    endStream("text-delta");
    return { ...turn, message: redactMessage(turn.message, redactor) };
  });
}

/** Leaves `native` as it is, which goes back to its author alone. */
function redactMessage({ native, ...message }: AssistantMessage, { redact }: Redactor): AssistantMessage {
  const cleaned = redactValue(message, redact);
  return native === undefined ? cleaned : { ...cleaned, native };
}
