import type { Text } from "../../kit/locale.ts";

/**
 * Describes a limit of a run. The configuration, its variables, flags and schema, `/set`, `agent_ask`, the HTTP API, the page and
 * the texts for a run that it stopped derive from the rows in `limits.ts`. Numbers are in the configuration's unit.
 */
export interface LimitRow {
  /** Names the setting under `agent` in the configuration. */
  readonly key: string;
  /** Names the limit in `Limits`. It differs from `key` where a run uses another unit. */
  readonly field: string;
  /** One unit of the configuration is this many units of a run. It is 1 when absent. */
  readonly factor?: number;
  readonly unit?: LimitUnit;
  /**
   * A limit of a `turn` comes from the models' own settings, which include the configured value; only a question's own value is
   * part of the run's limits.
   */
  readonly scope: "run" | "turn";
  /** Holds for variables and for callers; see `ceiling`. */
  readonly range: LimitRange;
  /**
   * Is the most that the operator may set, in the file, by a flag or with `/set`. It is the end of `range` when absent: what is
   * given to every program on a machine, or by a caller, stays within that.
   */
  readonly ceiling?: number;
  /**
   * Holds the whole numbers, in the unit of a run, that a program which embeds Duet may give with a question. They are wider than
   * the configuration's, because a program knows what it does. Any number in the range's direction is allowed when absent.
   */
  readonly embedded?: { readonly least: number; readonly most: number };
  /** The run has no such limit when neither this nor a setting is there. */
  readonly default?: number;
  readonly environment?: string;
  /** Names the flag without its dashes. */
  readonly flag?: string;
  /** Is the path that the flag sets, where that is not the setting itself. */
  readonly flagPath?: readonly string[];
  /** Is the name for `/set` in the chat. */
  readonly set?: string;
  /** Is the name in `agent_ask` and in the HTTP API. A limit without it is not offered to hosts. */
  readonly ask?: string;
  /** Is true when the list of tools shows hosts the limit. Hosts fill in what they see, so most limits are only accepted. */
  readonly isListed?: true;
  /** Says what is limited, as a sentence without a verb. */
  readonly help: Text;
  /** Replaces `help` in the schema of the configuration file. */
  readonly fileHelp?: string;
  /** Is the title in lists of settings. */
  readonly title: Text;
  /** Is true when the limit applies to chat mode too, which has no rounds and calls no tools. */
  readonly appliesToChat?: boolean;
  /** Is absent when the limit never stops the tool calls of a run. */
  readonly stop?: LimitStop;
}

/** Is a range of whole numbers, without an upper end where there is no `most`, or of numbers above `above` and up to `most`. */
type LimitRange =
  | { readonly least: number; readonly most?: number }
  | { readonly above: number; readonly most: number };

type LimitUnit = "seconds" | "dollars";

export const unitNames: Record<LimitUnit, Text> = {
  seconds: { zh: "秒", en: "seconds" },
  dollars: { zh: "美元", en: "US dollars" },
};

/** Says how a limit is reported that stopped the tool calls of a run. */
export interface LimitStop {
  /** Is the reason in events and traces. It ends in `-limit`. */
  readonly reason: string;
  /** Is the reason in outcomes. */
  readonly stopReason: string;
  /** Is true when the limit may also end the answer, so that the answer counts as cut. */
  readonly cutsAnswer?: boolean;
  /** Explains as a clause why the tool calls end. */
  explain(limit: number): Text;
  /** Explains as a clause why an answer is partial. */
  readonly partial: Text;
}

/** Converts a limit from the configuration's unit to that of a run. */
export function toRunUnit<Value extends number | undefined>(row: LimitRow, value: Value): Value | number {
  return value === undefined ? value : value * (row.factor ?? 1);
}

/** Returns what the operator may set, such as `1 to 1000`, or undefined where there is no upper end. */
export function describeRange({ range, ceiling = range.most }: LimitRow, to: string): string | undefined {
  return ceiling === undefined || !("least" in range) ? undefined : `${range.least}${to}${ceiling}`;
}
