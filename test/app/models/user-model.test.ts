import { expect, test } from "vitest";
import { type EarlierModel, type EarlierModelEvent, toModel } from "../../../src/app/models/user-model.ts";
import { type Model, type ModelEvent, type ModelRequest, noUsage, type Turn } from "../../../src/core/model/model.ts";
import { createDuet } from "../../../src/index.ts";
import { images } from "../../fakes/images.ts";
import { withoutDay } from "../../fakes/model.ts";
import { question } from "../../providers/reading.ts";

const turn: Turn = {
  message: { role: "assistant", content: "It rains.", toolCalls: [] },
  finish: "stop",
  usage: { ...noUsage, inputTokens: 7 },
};

/** A model of a program's own, with this stream. */
function ownModel(stream: Model["stream"]): Model {
  return { provider: "own", model: "m", stream, call: (request, signal) => stream(request, () => {}, signal) };
}

/** The form that `stream` had before models pushed their events. */
class EarlierParrot implements EarlierModel {
  readonly provider = "own";
  readonly model = "parrot";
  isLeft = false;

  contents: unknown[] = [];

  async *stream({ messages }: ModelRequest, signal: AbortSignal): AsyncGenerator<EarlierModelEvent> {
    this.contents.push(...messages.map(({ content }) => content));
    try {
      signal.throwIfAborted();
      yield { type: "text-delta", text: "It " };
      yield { type: "text-delta", text: "rains." };
      yield { type: "turn-end", turn };
    } finally {
      this.isLeft = true;
    }
  }
}

const signal = () => new AbortController().signal;

test("a model whose stream yields its events, as it did earlier, answers a question, and reads texts alone", async () => {
  const parrot = new EarlierParrot();
  const duet = await createDuet({
    models: { functionCall: parrot },
    config: { search: { enabled: false } },
  });
  const outcome = await duet.ask("The weather?", { attachments: [{ bytes: images.png, name: "sky.png" }] });
  await duet.close();
  expect(outcome).toMatchObject({ status: "complete", response: "It rains." });
  const asked = withoutDay(String(parrot.contents.at(-1)));
  expect(asked).toBe("The weather?\n\n[image sky.png: image/png, 24×16]");
  expect(outcome.meta.models.function_call).toMatchObject({ calls: 1, input_tokens: 7 });
});

test("an earlier model is left where its receiver throws, and ends with an error where it yields no turn", async () => {
  const parrot = new EarlierParrot();
  const error = new Error("no room");
  const refuse = (): never => {
    throw error;
  };
  await expect(toModel(parrot).stream(question, refuse, signal())).rejects.toBe(error);
  expect(parrot.isLeft).toBe(true);
  const mute = { provider: "own", model: "m", async *stream() {} };
  await expect(toModel(mute).call(question, signal())).rejects.toMatchObject({ code: "bad_response" });
});

test("a model that heeds no signal is left at once all the same, and nothing that it says later is told", async () => {
  const events: ModelEvent[] = [];
  const goOn = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const deaf = ownModel(async (_, onEvent) => {
    onEvent({ type: "text-delta", text: "It " });
    await goOn.promise;
    onEvent({ type: "text-delta", text: "rains." });
    over.resolve();
    return turn;
  });
  const caller = new AbortController();
  const ending = toModel(deaf).stream(question, (event) => void events.push(event), caller.signal);
  const stop = new Error("enough");
  caller.abort(stop);
  await expect(ending).rejects.toBe(stop);
  goOn.resolve();
  await over.promise;
  expect(events).toMatchObject([{ text: "It " }]);
});

test("a model that ignores what its receiver throws is stopped, and its turn is none", async () => {
  const stubborn = ownModel(async (_, onEvent, stop) => {
    for (const text of ["It ", "rains."])
      try {
        onEvent({ type: "text-delta", text });
      } catch {
        // It goes on.
      }
    expect(stop.aborted).toBe(true);
    return turn;
  });
  const error = new Error("no room");
  let told = 0;
  const refuse = (): never => {
    told += 1;
    throw error;
  };
  await expect(toModel(stubborn).stream(question, refuse, signal())).rejects.toBe(error);
  expect(told).toBe(1);
});

test("a model that keeps to neither form is refused by a line that says what a model has", async () => {
  const stream = async () => turn;
  const wrong = Object.assign({}, { provider: "own", model: "m", stream });
  await expect(Reflect.apply(toModel, undefined, [wrong]).call(question, signal())).rejects.toMatchObject({
    code: "config",
    message: expect.stringContaining("allowed: stream(request, onEvent, signal) and call(request, signal)"),
  });
  const empty = ownModel(async () => Reflect.apply(Object, undefined, [{}]));
  await expect(toModel(empty).call(question, signal())).rejects.toMatchObject({ code: "bad_response" });
});

test("a refusal that is no text is left out", async () => {
  const refusing = (refusal: unknown) => toModel(ownModel(async () => Object.assign({ ...turn }, { refusal })));
  expect(await refusing("I cannot.").call(question, signal())).toHaveProperty("refusal", "I cannot.");
  expect(await refusing({ why: "no" }).call(question, signal())).not.toHaveProperty("refusal");
});
