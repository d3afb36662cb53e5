import type { ErrorCode } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";

/** Why a request is not served. */
export interface HttpRefusal {
  /** Of HTTP. */
  status: number;
  text: Text;
  /** What the caller can do about it. */
  hint?: Text | undefined;
  /** Of the contract's section 5; `invalid_request` when absent. */
  error?: ErrorCode | undefined;
  /** The field of the request that is wrong. */
  param?: string | undefined;
  /** The code by which OpenAI's clients know it, where that is another one. */
  openAiCode?: string | undefined;
  /** Of JSON-RPC; -32000, a server's own, when absent. */
  code?: number | undefined;
  /** The JSON-RPC request's id, as far as it could be read. */
  id?: string | number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}
