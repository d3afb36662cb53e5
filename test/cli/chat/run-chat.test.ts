import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../../src/app/open-duet.ts";
import { createPlainInterface } from "../../../src/cli/chat/plain/plain-interface.ts";
import { runChat } from "../../../src/cli/chat/run-chat.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { configFile, temporaryFolder } from "../../fakes/program.ts";

/** A chat in plain lines, typed by a person or piped in, which ends with its input. */
async function openPlainChat(isTTY: boolean) {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const config = await loadConfig({ config: await configFile({ locale: "en" }) }, { HOME: home, DUET_HOME: home });
  const model = scriptedModel(["Read."]);
  const duet = await openDuet(config, { models: { functionCall: model, alone: true } });
  onTestFinished(() => duet.close());
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode() {} });
  let written = "";
  let look = (): void => {};
  const createSink = () =>
    Object.assign(
      new Writable({
        write(chunk, _, done) {
          written += String(chunk);
          look();
          done();
        },
      }),
      { isTTY },
    );
  const console = { stdin, stdout: createSink(), stderr: createSink() };
  const { signal } = new AbortController();
  const ended = runChat({
    ...{ duet, config, mode: "chat", search: { on: false, isBarred: false }, folders: { cwd, home }, signal },
    async openInterface(handler, steps) {
      return createPlainInterface({
        ...{ console, handler, steps, verbose: false, hyperlinks: false, isScreenReader: false, signal },
      });
    },
  });
  return {
    cwd,
    model,
    ended,
    stdin,
    written: () => written,
    writes: (text: string) =>
      new Promise<void>((resolve) => {
        look = () => written.includes(text) && resolve();
        look();
      }),
  };
}

test("what is piped in runs no command of the user's own, whatever it begins with", async () => {
  const { cwd, model, ended, stdin } = await openPlainChat(false);
  stdin.end(`!touch ${join(cwd, "made")}\n`);
  expect(await ended).toBe(0);
  expect(existsSync(join(cwd, "made"))).toBe(false);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("!touch");
});

test("a command that a person types runs, and a file that cannot be attached stops the question, whose text comes back", async () => {
  const { cwd, model, ended, stdin, writes, written } = await openPlainChat(true);
  await writes("Chat mode");
  stdin.write(`!echo made > ${join(cwd, "made")}; echo "it is done"\r`);
  await writes("✓ exit code 0");
  stdin.write("read @made and @none.txt\r");
  await writes(
    "✗ Not attached: @none.txt does not exist. The question was not sent; your text is back in the input.\n",
  );
  expect(model.requests).toEqual([]);
  // The text stands behind the next prompt, and goes on.
  stdin.write("\u0017\r");
  await writes("Read.");
  stdin.write("\u0004");
  expect(await ended).toBe(0);
  const asked = JSON.stringify(model.requests[0]?.messages);
  expect(asked).toContain("it is done");
  expect(asked).toMatch(/<<<file \w{32} .*made/);
  expect(written()).toContain("📎 made (5 characters)");
});
