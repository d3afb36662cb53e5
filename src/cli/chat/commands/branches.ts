import type { AgentTrace } from "../../../core/run/trace.ts";
import { listBranchTurns, type TurnNode, type TurnTree } from "../../../core/store/conversations/branches.ts";
import type { ConversationStore } from "../../../core/store/store.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { toTypedQuestion } from "../../../render/typed-question.ts";
import { createLine } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import { type ChatCommand, chooseOrList, commandError } from "./chat-command.ts";
import { listWrittenFiles, type WrittenFile } from "./written-files.ts";

/** Limits how much of a question a line shows, in UTF-16 units. */
const longestQuestion = 60;

/** Limits the files that are listed. */
const mostFiles = 20;

export const rewind: ChatCommand = {
  name: "/rewind",
  argument: "[N]",
  help: {
    zh: "回到第 N 个问题之前，可以改写后重新提问；已写的文件不会恢复",
    en: "goes back before question N, to ask it differently; files that were written are not restored",
  },
  async complete(chat) {
    const { turns = [] } = (await readTurns(chat)) ?? {};
    return turns.map(({ question }, index) => ({
      text: String(index + 1),
      help: toShortLine(question, longestQuestion),
    }));
  },
  async run(chat, argument, signal) {
    const { locale } = chat.settings;
    const known = await readTurns(chat);
    if (known === undefined || known.turns.length === 0) {
      chat.write(say(locale, { zh: "还没有可以回到的问题。", en: "There is no question to go back to yet." }));
      return undefined;
    }
    const { turns } = known;
    const at = argument === "" ? await pickTurn(chat, turns, signal) : readNumber(argument, turns.length);
    if (at !== undefined) await restoreBefore(chat, { ...known, at }, signal);
    return undefined;
  },
};

interface KnownTurns {
  store: ConversationStore;
  conversationId: string;
  tree: TurnTree;
  /** Lists the turns of the chat's own branch. */
  turns: readonly TurnNode[];
}

async function readTurns({ duet, conversation }: Chat): Promise<KnownTurns | undefined> {
  const { id: conversationId, branch } = conversation;
  if (conversationId === undefined) return undefined;
  const store = await duet.store();
  const stored = await store.branches?.read(conversationId);
  const tree = stored && {
    ...stored,
    turns: stored.turns.map((turn) => ({ ...turn, question: toTypedQuestion(turn.question) })),
  };
  return tree && { store, conversationId, tree, turns: listBranchTurns(tree, branch) };
}

async function pickTurn(chat: Chat, turns: readonly TurnNode[], signal: AbortSignal): Promise<number | undefined> {
  const { locale } = chat.settings;
  // A list from which a number is typed numbers its rows itself: in the order of the questions these are their numbers.
  const isTyped = chat.reader !== undefined && chat.reader.pick === undefined;
  const choices = turns.map(({ question }, index) => ({
    value: index,
    label: `${isTyped ? "" : `${index + 1}. `}${toShortLine(question, longestQuestion)}`,
    search: question,
  }));
  const title = say(locale, { zh: "⏪ 回到哪个问题之前", en: "⏪ Go back before which question" });
  const ordered = isTyped ? choices : choices.toReversed();
  return chooseOrList(chat, { title, choices: ordered, filters: true }, rewind, signal);
}

function readNumber(argument: string, most: number): number {
  const number = /^#?(\d{1,9})$/.exec(argument)?.[1];
  const at = Number(number ?? 0) - 1;
  if (at >= 0 && at < most) return at;
  const shown = toShortLine(argument, 40);
  throw commandError(
    { zh: `没有第 "${shown}" 个问题`, en: `There is no question "${shown}"` },
    { zh: `可选：1 到 ${most}。`, en: `Allowed: 1 to ${most}.` },
  );
}

/** Goes on before the turn `at`: what was said since stays on the branch that is left. */
async function restoreBefore(
  chat: Chat,
  { store, conversationId, turns, at }: KnownTurns & { at: number },
  signal: AbortSignal,
): Promise<void> {
  const { locale } = chat.settings;
  const target = turns[at];
  if (target === undefined) return;
  const left = turns.slice(at);
  const traces = await loadTraces(store, left, signal);
  const { tools } = await chat.duet.inventory(signal, 0);
  const before = (await store.load(conversationId, chat.conversation.branch))?.summary;
  const branch = await store.branches?.begin(conversationId, target.parent);
  if (branch === undefined) throw goneError();
  const lines = await chat.conversation.goTo({ conversationId, branch, runId: target.runId }, signal);
  const now = (await store.load(conversationId, branch))?.summary;
  chat.write(say(locale, describeRewind(at + 1, target, left.length)));
  const isOther = before?.text !== now?.text;
  const texts = [...lines, ...(isOther ? [say(locale, now ? earlierSummary : noSummary)] : [])];
  chat.write(...texts.map((line) => createLine(line, "dim")));
  chat.write(...renderFiles(listWrittenFiles(traces, tools), locale));
  chat.prefill(target.question);
}

async function loadTraces(
  store: ConversationStore,
  turns: readonly TurnNode[],
  signal: AbortSignal,
): Promise<AgentTrace[]> {
  const traces: AgentTrace[] = [];
  for (const { runId } of turns) {
    signal.throwIfAborted();
    const trace = runId === undefined ? undefined : await store.trace(runId);
    if (trace) traces.push({ ...trace, question: toTypedQuestion(trace.question) });
  }
  return traces;
}

function describeRewind(number: number, { question }: TurnNode, left: number): Text {
  const shown = toShortLine(question, longestQuestion);
  return {
    zh: `⏪ 已回到第 ${number} 个问题“${shown}”之前。之后的 ${left} 轮对话仍然保留，/fork 可以继续它们。`,
    en: `⏪ Back before question ${number}, “${shown}”. The ${left === 1 ? "turn" : `${left} turns`} from there on ${left === 1 ? "is" : "are"} kept: /fork goes on with ${left === 1 ? "it" : "them"}.`,
  };
}

const earlierSummary: Text = { zh: "使用那时的摘要。", en: "With the summary of that time." };
const noSummary: Text = { zh: "那时还没有摘要。", en: "Without a summary, as at that time." };

function renderFiles(files: readonly WrittenFile[], locale: Locale): string[] {
  if (files.length === 0) return [say(locale, noFiles)];
  const lines = files.slice(0, mostFiles).map(({ file, tool, step, runId, question }) => {
    const [name, by] = [toShortLine(file, 100), toShortLine(tool, 80)];
    const where = `“${toShortLine(question, 40)}”`;
    return say(locale, {
      zh: `  ${name} · ${by} · ${where} 的第 ${step} 步 · /trace ${toShortId(runId)}`,
      en: `  ${name} · ${by} · step ${step} of ${where} · /trace ${toShortId(runId)}`,
    });
  });
  const more = files.length - lines.length;
  const rest = say(locale, { zh: `  还有 ${more} 个`, en: `  and ${more} more` });
  return [say(locale, filesTitle), ...lines, ...(more > 0 ? [rest] : [])];
}

const filesTitle: Text = {
  zh: "文件没有恢复。此后这些调用可能写过：",
  en: "Files are not restored. These calls may have written some since:",
};
const noFiles: Text = {
  zh: "文件不会恢复；此后没有调用写过已知的文件。",
  en: "Files are not restored; no call since is known to have written one.",
};

function goneError(): Error {
  return commandError({ zh: "这个问题已不在对话中", en: "this question is no longer in the conversation" });
}

/** Names a line of turns from which a conversation can be forked. */
interface ForkPoint {
  branch: number;
  turns: readonly TurnNode[];
}

export const fork: ChatCommand = {
  name: "/fork",
  argument: "",
  help: {
    zh: "复制当前对话或被 /rewind 留下的部分，作为新的对话继续",
    en: "goes on in a copy of the conversation, or of what /rewind has left",
  },
  async run(chat, _argument, signal) {
    const { locale } = chat.settings;
    const known = await readTurns(chat);
    const points = known ? listForkPoints(known.tree, chat.conversation.branch) : [];
    if (known === undefined || points.length === 0) {
      chat.write(say(locale, { zh: "还没有可以复制的对话。", en: "There is no conversation to copy yet." }));
      return undefined;
    }
    const point = points.length === 1 ? points[0] : await pickPoint(chat, points, signal);
    if (point) await forkAt(chat, known, point, signal);
    return undefined;
  },
};

/** Lists the chat's own branch first, then those that were left; a branch that is the beginning of another one is left out. */
function listForkPoints(tree: TurnTree, own = tree.current): ForkPoint[] {
  const points = tree.branches.map(({ branch }) => ({ branch, turns: listBranchTurns(tree, branch) }));
  const used = new Set(points.flatMap(({ turns }) => turns.slice(0, -1).map(({ n }) => n)));
  const [mine, others] = [
    points.filter(({ branch, turns }) => branch === own && turns.length > 0),
    points.filter(({ branch, turns }) => branch !== own && turns.length > 0 && !used.has(turns.at(-1)?.n ?? 0)),
  ];
  return [...mine, ...others.toReversed()];
}

async function pickPoint(
  chat: Chat,
  points: readonly ForkPoint[],
  signal: AbortSignal,
): Promise<ForkPoint | undefined> {
  const { locale } = chat.settings;
  const choices = points.map((point) => {
    const { branch, turns } = point;
    const last = toShortLine(turns.at(-1)?.question ?? "", longestQuestion);
    const here = say(locale, { zh: "当前", en: "this one" });
    const label = branch === (chat.conversation.branch ?? 0) ? `${here} · ${last}` : last;
    const detail = say(locale, {
      zh: `${turns.length} 轮`,
      en: turns.length === 1 ? "1 turn" : `${turns.length} turns`,
    });
    return { value: point, label, detail, search: turns.map(({ question }) => question).join("\n") };
  });
  const title = say(locale, {
    zh: "⑂ 从哪里复制（最后的问题）",
    en: "⑂ Copy which line of turns (by its last question)",
  });
  return chooseOrList(chat, { title, choices, filters: true }, fork, signal);
}

async function forkAt(
  chat: Chat,
  { store, conversationId }: KnownTurns,
  { branch, turns }: ForkPoint,
  signal: AbortSignal,
): Promise<void> {
  const { locale } = chat.settings;
  const id = await store.branches?.fork(conversationId, { branch, folder: chat.folder });
  if (id === undefined) throw goneError();
  await chat.conversation.resume(id, signal);
  const { length } = turns;
  chat.write(
    createLine(
      say(locale, {
        zh: `⑂ 这是一份 ${length} 轮对话的副本；原来的对话没有改变：/resume ${conversationId}`,
        en: `⑂ This is a copy of ${length === 1 ? "1 turn" : `${length} turns`}; the other conversation is as it was: /resume ${conversationId}`,
      }),
      "dim",
    ),
  );
}

/** Counts the characters of an ID that tell it from others; commands take the beginning of one. */
const shortId = 16;

function toShortId(id: string): string {
  return id.slice(0, shortId);
}
