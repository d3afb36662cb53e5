import { expect, onTestFinished, test } from "vitest";
import { createAgentStream } from "../../../src/client/acp/agent-stream.ts";
import { createAgentTurn } from "../../../src/client/acp/agent-turn.ts";
import { Child } from "../../../src/kit/process/child.ts";
import { createLifeline } from "../../../src/kit/process/lifeline.ts";
import { createRedactor } from "../../../src/kit/text/redact.ts";

test.each(["text", "thought"] as const)(
  "a %s that an agent writes in pieces shows no start of a secret in its progress",
  (type) => {
    const progress: string[] = [];
    const turn = createAgentTurn({
      context: { signal: new AbortController().signal, locale: "en", progress: (line) => void progress.push(line) },
      budget: { tokens: 1000, cost: undefined },
      redactor: createRedactor([{ name: "KEY", value: "sk-0123456789" }]),
      before: {},
    });
    turn.handle({ type, text: "The key is sk-01234567" }, 1);
    expect(progress).toEqual(["The key is"]);
  },
);

test("the last words of a program that takes no input are kept", async () => {
  const lifeline = createLifeline(process.env.PATH);
  onTestFinished(() => lifeline.close());
  const args = ["-c", "read -r line; echo unknown option: --acp; exit 2"];
  const child = new Child({ command: "/bin/sh", args, env: {} }, lifeline);
  const unused = { onUpdate() {}, onTooMuch() {}, onTooLarge() {} };
  await createAgentStream(child, unused).readable.cancel();
  child.stdin.write("\n");
  expect(await child.ended).toMatchObject({ code: 2 });
  expect(child.words.toString()).toBe("unknown option: --acp\n");
});
