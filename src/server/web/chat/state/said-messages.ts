import { describeDelivered, readDelivered } from "../../../../core/run/message-delivered.ts";
import type { RunView } from "../../run/run-view.ts";
import type { Turn, Unsent } from "./chat-state.ts";

/** Is what a person said to a run while it went on. */
export interface SaidMessage {
  readonly text: string;
  readonly isRead: boolean;
}

/** Lists what was said to the run of a turn: what its models have read, and then what they have not read yet. */
export function listSaid(
  turn: Pick<Turn, "said" | "run">,
  view: Pick<RunView, "notices" | "steps">,
  unsent: readonly Unsent[],
): readonly SaidMessage[] {
  const notices = turn.said?.map((text) => describeDelivered(text).en) ?? listNotices(view);
  const read = turn.said ?? notices.flatMap((notice) => readDelivered(notice) ?? []);
  const { runId } = turn.run;
  const own = unsent.filter(({ saidTo }) => saidTo !== undefined && saidTo === runId);
  return [
    ...read.map((text) => ({ text, isRead: true })),
    ...own.filter(({ text }) => !takeNotice(notices, text)).map(({ text }) => ({ text, isRead: false })),
  ];
}

/** Lists the notices of a run in their order. */
export function listNotices({ notices, steps }: Pick<RunView, "notices" | "steps">): string[] {
  const items = [...notices, ...steps.flatMap((step) => step.items)];
  return items.flatMap((item) => (item.kind === "notice" ? [item.message] : []));
}

/** Takes the notice that a text was read off the list, and returns false where there is none. The same text said twice has two. */
export function takeNotice(notices: string[], text: string): boolean {
  const at = findNotice(notices, text);
  if (at >= 0) notices.splice(at, 1);
  return at >= 0;
}

/** Returns the place of the notice that a text was read, or -1. A long trace has only the beginning of it. */
function findNotice(notices: readonly string[], text: string): number {
  const { zh, en } = describeDelivered(text);
  const whole = notices.findIndex((notice) => notice === zh || notice === en);
  if (whole >= 0) return whole;
  return notices.findIndex((notice) => {
    const beginning = notice.endsWith("…") ? notice.slice(0, -1) : undefined;
    return beginning !== undefined && (zh.startsWith(beginning) || en.startsWith(beginning));
  });
}
