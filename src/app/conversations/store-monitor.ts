import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import type { Notice } from "../../core/run/events.ts";
import { type DuetError, toErrorReport } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { joinSentences } from "../../render/event-lines.ts";
import type { StoreFailure } from "../../store/errors/reason.ts";
import { StoreError, toOperatorError } from "../../store/errors/store-error.ts";

/** Is `memory` where conversations last as long as the process, and `failing` where the last attempt to write them has failed. */
export type StoreState = "ok" | "memory" | "failing";

/** Holds what the operator sees of the store. Its figures count from the start of the process. */
export interface StoreStatus {
  readonly state: StoreState;
  readonly failures: ReadonlyMap<StoreFailure, number>;
  /** Counts the runs that wait to be saved. */
  readonly waiting: number;
  /** Counts the runs that were saved after their end. */
  readonly savedLate: number;
  /** Counts the runs that nobody tries to save any more. */
  readonly lost: number;
}

export type StoreEvent =
  | { type: "memory"; problem: DuetError }
  | { type: "failing"; problem: DuetError }
  | { type: "recovered"; saved: number }
  | { type: "few-connections"; problem: DuetError }
  | { type: "enough-connections" }
  | { type: "set-aside"; name: string }
  | { type: "replaced" }
  | { type: "saved"; runId: string }
  | { type: "lost"; count: number };

/** Knows how the store is, whoever uses it. */
export interface StoreMonitor {
  readonly status: StoreStatus;
  /** Is what is wrong now, and undefined while the store is used as it should be. */
  readonly problem: DuetError | undefined;
  /** Records that conversations last only as long as the process. There is no problem where somebody wants it so. */
  useMemory(problem?: DuetError): void;
  /** Records that the store could be opened at last. */
  useDisk(): void;
  /** Records that the store could not be read or written. */
  recordFailure(problem: DuetError): void;
  /** Records that the store has been written. */
  recordSuccess(): void;
  /** Records that the database gives no more connections, while those that there are do the work; undefined: it gives more again. */
  recordShortage(problem: DuetError | undefined): void;
  recordSetAside(name: string): void;
  /** Records that another file is in use because the one before was replaced or deleted. */
  recordReplaced(): void;
  recordSaved(runId: string): void;
  recordLost(count: number): void;
  countWaiting(waiting: number): void;
  /** Calls `listener` for each event from now on. What still holds is reported at once. */
  follow(listener: (event: StoreEvent) => void): () => void;
  /** Returns the notices that nobody has received yet. Each is returned once. */
  takeNotices(locale: Locale): Notice[];
  /** Returns what a run has to tell. `known` holds the codes of what its reader has been told. */
  listNotices(reader: NoticeReader): Notice[];
  /** Returns what a run has to tell besides, once it has been saved. */
  listLateNotices(reader: NoticeReader): Notice[];
}

export interface NoticeReader {
  locale: Locale;
  known: Set<string>;
  /** Is true for the operator, who may know the names of files. */
  isOperator: boolean;
  /** Is true for a run that is not saved anyway, so that nothing else would tell of a store that fails. */
  isUnsaved: boolean;
}

/** Represents something that has happened once. */
interface Incident {
  at: number;
  isTold: boolean;
  key: string;
  event: Extract<StoreEvent, { type: "memory" | "set-aside" | "replaced" }>;
}

/** Is how long runs tell that a store was set aside or replaced, in milliseconds: each conversation once. */
const tellingMs = 3_600_000;

/** Limits the incidents that are remembered. */
const mostIncidents = 20;

export function createStoreMonitor(now = () => performance.now()): StoreMonitor {
  const failures = new Map<StoreFailure, number>();
  const listeners = new Set<(event: StoreEvent) => void>();
  const incidents: Incident[] = [];
  let state: StoreState = "ok";
  let problem: DuetError | undefined;
  let waiting = 0;
  let savedLate = 0;
  let lost = 0;
  /** Counts the runs saved late since the store began to fail. */
  let savedSince = 0;
  let shortage: DuetError | undefined;

  function emit(event: StoreEvent): void {
    for (const listener of listeners) listener(event);
  }

  function addIncident(event: Incident["event"]): void {
    incidents.push({ at: now(), isTold: false, key: `${event.type} ${incidents.length} ${now()}`, event });
    if (incidents.length > mostIncidents) incidents.shift();
    emit(event);
  }

  function listReplaced({ locale, known, isOperator }: NoticeReader): Notice[] {
    return incidents.flatMap((incident) => {
      const { event, at, key } = incident;
      if (event.type === "memory" || now() - at > tellingMs || known.has(key)) return [];
      known.add(key);
      incident.isTold = true;
      return [toNotice(event, isOperator, locale)];
    });
  }

  function listMemory({ locale, known, isOperator }: NoticeReader): Notice[] {
    const incident = incidents.findLast(({ event }) => event.type === "memory");
    if (incident === undefined || state !== "memory") return [];
    incident.isTold = true;
    const notice = toNotice(incident.event, isOperator, locale);
    // No answer goes without it, and who reads a whole conversation needs it once.
    if (known.has(notice.code)) return [{ ...notice, forLog: true }];
    known.add(notice.code);
    return [notice];
  }

  return {
    get status() {
      return { state, failures, waiting, savedLate, lost };
    },
    get problem() {
      return problem;
    },
    useMemory(found) {
      const isKnown = state === "memory" && getFailure(problem) === getFailure(found);
      state = "memory";
      problem = found;
      if (found === undefined) return;
      countFailure(failures, found);
      if (!isKnown) addIncident({ type: "memory", problem: found });
    },
    useDisk() {
      if (state !== "memory") return;
      state = "ok";
      problem = undefined;
      emit({ type: "recovered", saved: savedSince });
    },
    recordFailure(found) {
      countFailure(failures, found);
      if (state === "memory") return;
      const isNew = state === "ok" || getFailure(problem) !== getFailure(found);
      if (state === "ok") savedSince = 0;
      state = "failing";
      problem = found;
      if (isNew) emit({ type: "failing", problem: found });
    },
    recordSuccess() {
      if (state !== "failing") return;
      state = "ok";
      problem = undefined;
      emit({ type: "recovered", saved: savedSince });
    },
    recordShortage(found) {
      shortage = found;
      emit(found === undefined ? { type: "enough-connections" } : { type: "few-connections", problem: found });
    },
    recordSetAside(name) {
      failures.set("damaged", (failures.get("damaged") ?? 0) + 1);
      addIncident({ type: "set-aside", name });
    },
    recordReplaced: () => addIncident({ type: "replaced" }),
    recordSaved(runId) {
      savedLate += 1;
      savedSince += 1;
      emit({ type: "saved", runId });
    },
    recordLost(count) {
      lost += count;
      if (count > 0) emit({ type: "lost", count });
    },
    countWaiting(count) {
      waiting = count;
    },
    follow(listener) {
      listeners.add(listener);
      for (const { event } of incidents) if (event.type !== "memory" || state === "memory") listener(event);
      if (state === "failing" && problem !== undefined) listener({ type: "failing", problem });
      if (shortage !== undefined) listener({ type: "few-connections", problem: shortage });
      return () => void listeners.delete(listener);
    },
    takeNotices(locale) {
      const untold = incidents.filter(({ isTold }) => !isTold);
      for (const incident of untold) incident.isTold = true;
      return untold.map(({ event }) => toNotice(event, true, locale));
    },
    listNotices(reader) {
      const { locale, isOperator, isUnsaved } = reader;
      const failing =
        isUnsaved && state === "failing" && problem !== undefined
          ? [noticeKinds.storeFailing(describeStoreProblem(problem, isOperator), locale)]
          : [];
      return [...listReplaced(reader), ...listMemory(reader), ...failing];
    },
    listLateNotices: listReplaced,
  };
}

function toNotice(event: Incident["event"], isOperator: boolean, locale: Locale): Notice {
  if (event.type === "set-aside")
    return noticeKinds.storeDamaged({ name: isOperator ? event.name : undefined }, locale);
  if (event.type === "replaced") return noticeKinds.storeReplaced(undefined, locale);
  return noticeKinds.storeUnavailable(describeWithAdvice(event.problem, isOperator), locale);
}

/** Describes what is wrong with the store, to the operator with the name of its file. */
export function describeStoreProblem(problem: DuetError | undefined, isOperator: boolean): Text {
  if (isOperator && problem !== undefined) return toOperatorError(problem).text;
  return problem instanceof StoreError ? problem.why : unusable;
}

/** Describes it to the operator with what to do. */
function describeWithAdvice(problem: DuetError, isOperator: boolean): Text {
  if (!isOperator) return describeStoreProblem(problem, isOperator);
  const toLine = (locale: Locale): string => {
    const { message, hint } = toErrorReport(toOperatorError(problem), locale);
    return joinSentences(message, hint);
  };
  return { zh: toLine("zh"), en: toLine("en") };
}

const unusable: Text = { zh: "对话存储无法使用", en: "the conversation store cannot be used" };

function getFailure(problem: DuetError | undefined): StoreFailure {
  return problem instanceof StoreError ? problem.failure : "other";
}

function countFailure(failures: Map<StoreFailure, number>, problem: DuetError): void {
  const failure = getFailure(problem);
  failures.set(failure, (failures.get(failure) ?? 0) + 1);
}

/** Says what the operator should read of an event, if anything. */
export function describeStoreEvent(event: StoreEvent): Text | undefined {
  switch (event.type) {
    case "memory":
    case "set-aside":
    case "replaced":
      return toText((locale) => toNotice(event, true, locale).message);
    case "failing":
      return toText((locale) => noticeKinds.storeFailing(describeWithAdvice(event.problem, true), locale).message);
    case "recovered":
      return {
        zh: `对话存储又可以写入了${event.saved > 0 ? `；等待保存的 ${event.saved} 个运行已经保存` : ""}`,
        en: `the conversation store can be written again${event.saved > 0 ? `; runs that had waited and are saved now: ${event.saved}` : ""}`,
      };
    case "few-connections":
      return toText((locale) => {
        const { hint } = toErrorReport(toOperatorError(event.problem), locale);
        return joinSentences(say(locale, fewConnections), hint);
      });
    case "enough-connections":
      return { zh: "数据库又能提供更多连接了", en: "the database has connections for more work again" };
    case "lost":
      return toText((locale) => noticeKinds.runsLost(event.count, locale).message);
    case "saved":
      return undefined;
  }
}

const fewConnections: Text = {
  zh: "数据库没有更多连接可用；本进程用已有的连接继续工作，会慢一些",
  en: "the database has no connection left; this process goes on with those that it has, more slowly",
};

function toText(create: (locale: Locale) => string): Text {
  return { zh: create("zh"), en: create("en") };
}
