import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../../src/app/open-duet.ts";
import type { ChatHandler } from "../../../src/cli/chat/interface/chat-interface.ts";
import { createPlainInterface } from "../../../src/cli/chat/interface/plain/plain-interface.ts";
import { runChat } from "../../../src/cli/chat/run-chat.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { compileCache, configFile, temporaryFolder } from "../../fakes/program.ts";

/** A chat in plain lines, typed by a person or piped in, which ends with its input. */
async function openPlainChat(
  isTTY: boolean,
  settings: Record<string, unknown> = {},
  onEvent?: (event: AgentEvent, handler: ChatHandler) => void,
  turns: ScriptedTurn[] = ["Read."],
) {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const file = await configFile({ locale: "en", ...settings });
  const config = await loadConfig({ config: file }, { HOME: home, DUET_HOME: home });
  const model = scriptedModel(turns);
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
      const plain = createPlainInterface({
        ...{ console, handler, steps, verbose: false, hyperlinks: false, isScreenReader: false, signal },
      });
      return {
        ...plain,
        openRun(locale) {
          const run = plain.openRun(locale);
          return {
            ...run,
            handle(event) {
              onEvent?.(event, handler);
              return run.handle(event);
            },
          };
        },
      };
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

test("a piped chat ends with the code of the last question that was not answered in full, and a typed one with 0", async () => {
  const cut: ScriptedTurn = { text: "Half", finish: "length" };
  const ask = async (isTyped: boolean, turns: ScriptedTurn[]): Promise<number> => {
    const { ended, stdin } = await openPlainChat(isTyped, {}, undefined, turns);
    stdin.end("one\ntwo\n");
    return ended;
  };
  expect(await ask(false, ["Read.", "Read."])).toBe(0);
  // The model fails where no turn is scripted.
  expect(await ask(false, ["Read."])).toBe(1);
  expect(await ask(false, [cut, "Read."])).toBe(3);
  expect(await ask(false, [cut])).toBe(1);
  expect(await ask(true, [])).toBe(0);
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

test("the text of a server's prompt names no file of this machine, as the same text does that a person has typed", async () => {
  const offering = { command: process.execPath, args: [resolve("test/fakes/mcp-offering.ts")], env: compileCache() };
  const { cwd, model, ended, stdin, writes } = await openPlainChat(true, { mcpServers: { offering } });
  await writeFile(join(cwd, "private"), "the private text");
  await writes("Chat mode");
  stdin.write("/offering__greet who=@private\r");
  await writes("Read.");
  stdin.write("\u0004");
  expect(await ended).toBe(0);
  const asked = JSON.stringify(model.requests[0]?.messages);
  expect(asked).toContain("Greet @private");
  expect(asked).not.toContain("the private text");
});

test("a run that is shown as over cannot be stopped, so that Ctrl-C is for the input again", async () => {
  const stops: boolean[] = [];
  const { ended, stdin, writes } = await openPlainChat(true, {}, (event, handler) => {
    if (event.type === "run-end") stops.push(handler.stop());
  });
  await writes("Chat mode");
  stdin.write("read it\r");
  await writes("in total");
  stdin.write("\u0004");
  expect(await ended).toBe(0);
  expect(stops).toEqual([false]);
});
