import type { Text } from "../../kit/locale.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";

/** Makes the refusal (400) of a request whose field is wrong. The text says what is allowed. */
export function fieldRefusedError(param: string, { zh, en }: Text): HttpRefusalError {
  return new HttpRefusalError({ status: 400, text: { zh: `${param}：${zh}`, en: `${param}: ${en}` }, param });
}
