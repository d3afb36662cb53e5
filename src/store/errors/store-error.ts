import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { describeReason, describeWhy } from "./failure-reasons.ts";
import { allInUse, busy, cancelled, noneLeft } from "./postgres-reasons.ts";
import type { StoreFailure } from "./reason.ts";
import { isBusy } from "./sqlite-code.ts";

/**
 * Explains a failure of the database or of the file system. Its text names the place, which only the operator may know. Whoever asks is
 * told of a database that cannot be reached, and when to come again, so that text names no place.
 */
export class StoreError extends DuetError {
  readonly failure: StoreFailure;
  /** Says what is wrong without naming the place. */
  readonly why: Text;
  /** Says it with the place. */
  readonly described: Text;

  constructor(thrown: unknown, place: string) {
    const { failure, why, hint } = describeWhy(thrown);
    const described = describeUnusable(why, place);
    const isRemote = failure === "unreachable";
    super({
      ...(isRemote ? { code: "overloaded", retryAfterMs: comeBackMs } : { code: "internal" }),
      text: isRemote ? describeUnusable(why) : described,
      hint: isRemote ? laterHint : isAddress(place) ? (hint ?? databaseHint) : fileHint,
      retryable: isBusy(thrown) || isRemote,
      cause: thrown,
    });
    this.failure = failure;
    this.why = why;
    this.described = described;
  }

  /** Is true where the same change may succeed later. */
  get mayPass(): boolean {
    return this.failure !== "conflict";
  }
}

function describeUnusable(why: Text, place?: string): Text {
  return {
    zh: `对话存储${place === undefined ? "" : ` ${place} `}无法使用：${why.zh}`,
    en: `the conversation store${place === undefined ? "" : ` ${place}`} cannot be used: ${why.en}`,
  };
}

/** Is after how long whoever is refused may come again, in milliseconds. */
const comeBackMs = 1_000;

const laterHint: Text = { zh: "请稍后再试。", en: "Try again later." };

const fileHint: Text = {
  zh: "请检查这个位置的权限和剩余空间，或用 DUET_HOME 另选一个文件夹。",
  en: "Check the permissions and the free space there, or choose another folder with DUET_HOME.",
};

const serverHint: Text = {
  zh: "请检查 PostgreSQL 是否在运行，以及地址、用户和密码是否正确。",
  en: "Check that PostgreSQL is running, and its address, user and password.",
};

const databaseHint: Text = {
  zh: "请检查 PostgreSQL 的服务器日志、这个用户的权限和剩余空间。",
  en: "Check the server log of PostgreSQL, this user's permissions and the free space.",
};

/** Returns true where no work can be done with the database until it can be reached again. */
export function isUnreachable(thrown: unknown): thrown is StoreError {
  if (!(thrown instanceof StoreError) || thrown.failure !== "unreachable") return false;
  return ![allInUse, busy].includes(describeReason(thrown.cause));
}

/** Returns true where the server has no connection left for whoever asks for one more. */
export function isOutOfConnections(thrown: unknown): boolean {
  return describeReason(thrown instanceof StoreError ? thrown.cause : thrown) === noneLeft;
}

/**
 * Returns true where nothing is stored, and the same may work at once although nobody changes anything: no connection was free or
 * made in time, or the server gave the statement up.
 */
export function isPassing(thrown: unknown): boolean {
  return thrown instanceof StoreError && [allInUse, busy, cancelled].includes(describeReason(thrown.cause));
}

/** Returns true where it may be reached later without anybody changing a setting. */
export function canComeBack(thrown: unknown): boolean {
  return isUnreachable(thrown) && !/^(?:28|3D)/.test(describeReason(thrown.cause));
}

/** Returns the error as its operator may read it: with the place, and with what can be done. */
export function toOperatorError(error: DuetError): DuetError {
  if (!(error instanceof StoreError) || error.failure !== "unreachable") return error;
  const hint = describeWhy(error.cause).hint ?? serverHint;
  return new DuetError({ code: "network", text: error.described, hint, cause: error });
}

/** Explains a failure of the database or of the file system to the user. */
export function toStoreError(thrown: unknown, file: string): DuetError {
  return thrown instanceof DuetError ? thrown : new StoreError(thrown, file);
}

/** Tells the address of a database from the name of a file. */
export function isAddress(place: string): boolean {
  return place.includes("://");
}
