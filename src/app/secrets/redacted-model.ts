import type { AssistantMessage } from "../../core/messages.ts";
import { type Model, type ModelEvent, replaceStream } from "../../core/model.ts";
import { type Redactor, redactValue } from "../../kit/text/redact.ts";

/** Wraps a model so that nothing it writes repeats a known secret: not its answer, its reasoning or the arguments of its calls. */
export function createRedactedModel(model: Model, redactor: Redactor): Model {
  return replaceStream(model, async function* (request, signal): AsyncGenerator<ModelEvent> {
    const streams = { "text-delta": redactor.openStream(), "reasoning-delta": redactor.openStream() };
    function* endStream(type: keyof typeof streams): Generator<ModelEvent> {
      const text = streams[type].end();
      if (text !== "") yield { type, text };
    }
    for await (const event of model.stream(request, signal)) {
      if (event.type === "text-delta" || event.type === "reasoning-delta") {
        // What was thought is shown before what is said after it.
        yield* endStream(event.type === "text-delta" ? "reasoning-delta" : "text-delta");
        const text = streams[event.type].push(event.text);
        if (text !== "") yield { ...event, text };
      } else if (event.type === "turn-end") {
        yield* endStream("reasoning-delta");
        yield* endStream("text-delta");
        yield { ...event, turn: { ...event.turn, message: redactMessage(event.turn.message, redactor) } };
      } else yield event;
    }
  });
}

/** Leaves `native` as it is, which goes back to its author alone. */
function redactMessage({ native, ...message }: AssistantMessage, { redact }: Redactor): AssistantMessage {
  const cleaned = redactValue(message, redact);
  return native === undefined ? cleaned : { ...cleaned, native };
}
