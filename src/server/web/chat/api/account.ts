import type * as z from "zod";
import type { ownUsageSchema } from "../../../../core/schemas/own-usage-schema.ts";
import { isRecord, toText, tryParseJson } from "../../../../kit/json.ts";
import type { Locale } from "../../../../kit/locale.ts";
import { ownUsageShape } from "../../run/known-shapes.ts";
import { hasShape } from "../../run/shape.ts";
import { ApiError } from "./api-error.ts";
import { type CallAgent, createCaller } from "./call-agent.ts";
import { readShape } from "./read-answer.ts";
import { createSender } from "./sender.ts";

export type OwnUsageFigures = z.infer<typeof ownUsageSchema>;

/** Says who signs people in on this server, and who is signed in in this browser. */
export interface Account {
  /** Is undefined where nobody can sign in. */
  readonly provider: string | undefined;
  readonly name: string | undefined;
}

/** Rejects when the server cannot be reached. */
export async function fetchAccount(): Promise<Account> {
  const response = await fetch("/signin/session", { credentials: "same-origin" });
  const said: unknown = await response.json();
  const { provider, person } = isRecord(said) ? said : {};
  return {
    provider: toText(provider) || undefined,
    name: (isRecord(person) && toText(person.name)) || undefined,
  };
}

/** Reads the limits of whoever asks, and what is used of them. Rejects as a request does, and with `UnexpectedAnswerError`. */
export function fetchUsage(call: CallAgent): Promise<OwnUsageFigures> {
  return readShape(call("GET /agent/usage"), isUsage);
}

/** Limits how long the server may take to say who asks, in milliseconds: nothing is sent before. */
const ownerMs = 15_000;

/** Names who asks, as the server knows them. Rejects as a request does, and with `ApiError` where the server says something else. */
export async function fetchOwner(call: CallAgent): Promise<string> {
  const response = await call("GET /agent/usage", { limitMs: ownerMs });
  const read = tryParseJson(await response.text());
  const caller = isRecord(read) ? read.caller : undefined;
  if (caller !== null && typeof caller !== "string")
    throw new ApiError(response.status, "the server answered with something else", null);
  return caller ?? "";
}

/** Names the owner of a token, without the sign-in of this page. Rejects as `fetchOwner` does, without a message for a token that cannot be sent. */
export function fetchTokenOwner(token: string, locale: Locale): Promise<string> {
  const signIn = (_: unknown, refused = new ApiError(401, "", null)) => Promise.reject(refused);
  return fetchOwner(createCaller(createSender({ origin: "", token: () => token, locale: () => locale, signIn })));
}

function isUsage(value: unknown): value is OwnUsageFigures {
  return hasShape(ownUsageShape, value);
}
