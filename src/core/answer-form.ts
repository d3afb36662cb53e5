import type { JsonObject } from "../kit/json.ts";
import type { Text } from "../kit/locale.ts";
import type { ResponseFormat } from "./model/model.ts";

/** Sets the form of an answer that a program reads: an object by a JSON Schema, or any JSON object. */
export interface AnswerForm {
  /** Is what the model is told. */
  readonly format: Exclude<ResponseFormat, { type: "text" }>;
  /** Reads what a model wrote. Fields that the schema leaves open and that the model filled with null are left out. */
  read(written: string): AnswerReading;
}

/** Holds the answer, or everything that is wrong with it. */
export type AnswerReading = { output: JsonObject } | { problems: readonly Text[] };
