import type { ProcessNotifications, RecordKind, SharedRecords } from "../../../core/store/shared-records.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { followSignal, sleep } from "../../../kit/async/timeout.ts";
import { DuetError } from "../../../kit/errors.ts";
import { toText } from "../../../kit/json.ts";
import { createRandomHex } from "../../../kit/random.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";
import type { Work } from "../work.ts";

/** Is how long a turn lasts without a renewal, how often it is renewed, and how often others look, in milliseconds. */
const turnMs = 15_000;
const renewalMs = 4_000;
const pollMs = 100;

/** Is for a database that only one process uses. */
const silent: ProcessNotifications = { publish: async () => {}, subscribe: () => () => {} };

/** Keeps records in the database, by the clock that all processes share. */
export function createSqlSharedRecords(
  connection: StoreConnection,
  readNow: () => Work<number>,
  notifications: ProcessNotifications = silent,
): SharedRecords {
  const toTurn = (kind: RecordKind, name: string) => ({ kind: `${kind} turn`, name });

  function takeTurn(kind: RecordKind, name: string, holder: string): Promise<boolean> {
    return connection.write(function* () {
      const now = yield* readNow();
      return (yield* statements.takeTurn.run({ ...toTurn(kind, name), holder, now, until: now + turnMs })) > 0;
    });
  }

  function renewTurn(kind: RecordKind, name: string, holder: string): Promise<boolean> {
    return connection.write(function* () {
      const until = (yield* readNow()) + turnMs;
      return (yield* statements.renewTurn.run({ ...toTurn(kind, name), holder, until })) > 0;
    });
  }

  return {
    notifications,
    get: (kind, name) =>
      connection.read(function* () {
        const row = yield* statements.sharedRecord.get({ kind, name });
        if (row === undefined || (row.until_ms !== null && Number(row.until_ms) <= (yield* readNow())))
          return undefined;
        return { data: toText(row.data), version: Number(row.version) };
      }),
    put: (kind, name, data, lastsMs) =>
      connection.write(function* () {
        const now = yield* readNow();
        const until = lastsMs === undefined ? null : now + lastsMs;
        return Number((yield* statements.putSharedRecord.get({ kind, name, data, now, until }))?.version);
      }),
    add: (kind, name, data) =>
      connection.write(function* () {
        const now = yield* readNow();
        yield* statements.addSharedRecord.run({ kind, name, data, now });
        return toText((yield* statements.sharedRecord.get({ kind, name }))?.data);
      }),
    extend: (kind, name, lastsMs) =>
      connection.write(function* () {
        const now = yield* readNow();
        return (yield* statements.extendSharedRecord.run({ kind, name, now, until: now + lastsMs })) > 0;
      }),
    list: (kind, prefix) =>
      connection.read(function* () {
        const end = `${prefix}\u{10ffff}`;
        const rows = yield* statements.sharedRecords.all({ kind, prefix, end, now: yield* readNow() });
        return rows
          .toSorted((one, other) => Number(one.version) - Number(other.version))
          .map(({ name }) => toText(name));
      }),
    remove: async (kind, name) => (await connection.write(() => statements.dropSharedRecord.run({ kind, name }))) > 0,
    async exclusively(kind, name, signal, work) {
      const holder = createRandomHex();
      while (!(await takeTurn(kind, name, holder))) await sleep(pollMs, signal);
      const during = new AbortController();
      const unfollow = followSignal(during, signal);
      const renew = async (): Promise<void> => {
        const isMine = await ignoreRejection(renewTurn(kind, name, holder), "the next renewal tells");
        if (isMine === false) during.abort(lostTurnError());
      };
      const timer = setInterval(() => void renew(), renewalMs).unref();
      try {
        signal.throwIfAborted();
        return await work(during.signal);
      } finally {
        clearInterval(timer);
        unfollow();
        const ended = connection.write(() => statements.endTurn.run({ ...toTurn(kind, name), holder }));
        await ignoreRejection(ended, "the turn ends by itself");
      }
    },
  };
}

function lostTurnError(): DuetError {
  return new DuetError({
    code: "overloaded",
    text: {
      zh: "与数据库的联系中断太久，可能已由另一台机器处理",
      en: "the database could not be reached for too long, and another machine may be doing the same",
    },
    hint: { zh: "请稍后再试。", en: "Try again later." },
    retryable: true,
  });
}
