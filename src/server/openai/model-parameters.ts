import type { AskRequest, Duet } from "../../app/open-duet.ts";
import { DuetError } from "../../kit/errors.ts";
import { RefusedError } from "../http/response/refuse.ts";
import type { ChatRequest } from "./read-chat.ts";

/**
 * The models with the client's temperature and top_p for the answer; undefined where it sets none, or where the answer model
 * has no parameters. Throws `Refused` (400) for a value that the model does not take.
 */
export async function chooseModelParameters(
  duet: Duet,
  { temperature, topP }: Pick<ChatRequest, "temperature" | "topP">,
): Promise<AskRequest["models"]> {
  if (temperature === undefined && topP === undefined) return undefined;
  const { answer } = await duet.modelParameters();
  const hasParameters = Object.values(answer).some((value) => value !== undefined);
  if (!hasParameters) return undefined;
  try {
    return await duet.models({ parameters: { answer: { temperature, topP } } });
  } catch (thrown) {
    if (!(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
    const param = thrown.text.en.includes("top_p") ? "top_p" : "temperature";
    throw new RefusedError({ status: 400, text: thrown.text, hint: thrown.hint, param });
  }
}
