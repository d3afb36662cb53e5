import * as z from "zod";
import type { Caller } from "../../core/caller.ts";
import type { FindRecords } from "../../core/store/shared-records.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createLazy } from "../../kit/create-lazy.ts";
import { tryParseJson } from "../../kit/json.ts";
import type { Session } from "./sessions.ts";

type Answers = Pick<Session, "approved" | "refused">;

/** Keeps what a person has agreed to or refused for a conversation where every machine finds it. Never rejects. */
export interface SharedApprovals {
  /** Takes over what was agreed to on other machines, or taken back there. */
  load(session: Answers): Promise<void>;
  save(session: Answers): Promise<void>;
  forget(): Promise<void>;
}

/** Is how long the answers hold after the last one, in milliseconds: 30 days. */
const longestMs = 30 * 24 * 3_600_000;

const getStoredSchema = createLazy(() =>
  z.object({ owner: z.string().nullable(), approved: z.array(z.string()), refused: z.array(z.string()) }),
);

/** Returns undefined where the machine keeps its own. Where the records cannot be used, the answers hold in this process. */
export function createSharedApprovals(
  findRecords: FindRecords | undefined,
  caller: Pick<Caller, "owner">,
  conversationId: string,
): SharedApprovals | undefined {
  if (findRecords === undefined || conversationId === "") return undefined;
  const owner = caller.owner ?? null;

  async function load(session: Answers): Promise<void> {
    const record = await (await findRecords?.())?.get("approvals", conversationId);
    const read = getStoredSchema().safeParse(tryParseJson(record?.data ?? ""));
    if (!read.success || read.data.owner !== owner) return;
    for (const name of ["approved", "refused"] as const) {
      session[name].clear();
      for (const kind of read.data[name]) session[name].add(kind);
    }
  }

  async function save({ approved, refused }: Answers): Promise<void> {
    const data = JSON.stringify({ owner, approved: [...approved], refused: [...refused] } satisfies z.infer<
      ReturnType<typeof getStoredSchema>
    >);
    await (await findRecords?.())?.put("approvals", conversationId, data, longestMs);
  }

  async function forget(): Promise<void> {
    await (await findRecords?.())?.remove("approvals", conversationId);
  }

  const why = "the answers hold in this process all the same";
  return {
    load: async (session) => void (await ignoreRejection(load(session), why)),
    save: async (session) => void (await ignoreRejection(save(session), why)),
    forget: async () => void (await ignoreRejection(forget(), "they end by themselves")),
  };
}
