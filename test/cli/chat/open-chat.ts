import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { onlyOurSequences } from "../../fakes/our-sequences.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { startTerminal, type Terminal, type TerminalOptions } from "../../fakes/terminal.ts";

/** Somebody's machine: a model called `only`, a home that lasts through several starts, a folder to work in. */
export interface ChatTerminal {
  provider: FakeProvider;
  /** `DUET_HOME`. */
  home: string;
  cwd: string;
  env: Record<string, string>;
  /** Starts a chat and waits for its prompt. */
  open(args?: string[], options?: TerminalOptions): Promise<Terminal>;
  /** The text of the last question that the model was sent. */
  lastQuestion(): string;
}

export interface ChatTerminalOptions {
  /** Modules of the user's own tools, by the names of their files. */
  tools?: Record<string, string>;
  /** Those that need consent. */
  ask?: string[];
}

export async function openChatTerminal({ tools = {}, ask = [] }: ChatTerminalOptions = {}): Promise<ChatTerminal> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const directory = join(home, "modules");
  await mkdir(directory);
  for (const [name, text] of Object.entries(tools)) await writeFile(join(directory, name), text);
  const model = { provider: "openai", model: "only", baseUrl: provider.openaiUrl };
  const settings = { models: { functionCall: model }, tools: { directory, ask } };
  const file = join(home, "duet.config.json");
  await writeFile(file, JSON.stringify(settings));
  const env = { DUET_HOME: home, OPENAI_API_KEY: "sk-test-openai-0001", TERM: "xterm-256color" };
  return {
    ...{ provider, home, cwd, env },
    async open(args = [], options = {}) {
      const terminal = await startTerminal(["--mode", "chat", "--config", file, ...args], {
        cwd,
        ...options,
        env: { ...env, ...options.env },
      });
      await terminal.shows(" >");
      return terminal;
    },
    lastQuestion() {
      const { messages } = provider.journal.at(-1)?.body ?? {};
      const last: unknown = Array.isArray(messages) ? messages.at(-1)?.content : undefined;
      return typeof last === "string" ? last : JSON.stringify(last);
    },
  };
}

/** The terminal is as it was: its modes off, its cursor shown and at the start of a row, and nothing foreign was written. */
export function isGivenBack(terminal: Terminal): void {
  const text = terminal.bytes().toString();
  onlyOurSequences(terminal.bytes());
  for (const [on, off] of modes) expect(text.lastIndexOf(off), off).toBeGreaterThan(text.lastIndexOf(on));
  expect(text.lastIndexOf("\u001b[?25h")).toBeGreaterThanOrEqual(text.lastIndexOf("\u001b[?25l"));
  expect(terminal.cursor().column).toBe(0);
}

const modes = [
  ["\u001b[?2004h", "\u001b[?2004l"],
  ["\u001b[>1u", "\u001b[<u"],
  ["\u001b[>4;2m", "\u001b[>4m"],
  ["\u001b[?1004h", "\u001b[?1004l"],
  ["\u001b[?2026h", "\u001b[?2026l"],
  ["\u001b[?7l", "\u001b[?7h"],
] as const;
