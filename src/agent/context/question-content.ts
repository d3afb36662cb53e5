import { describeFile, fromParts } from "../../core/model/message-content.ts";
import type { ContentPart, FileRef, MessageContent } from "../../core/model/messages.ts";
import type { Model } from "../../core/model/model.ts";
import { say, type Text } from "../../kit/locale.ts";
import type { Observation } from "../loop/calls/observe-call.ts";
import type { Run, RunInput } from "../run.ts";
import { joinNote, renderQuestionNote } from "./day-note.ts";
import { fence } from "./fence.ts";

export interface QuestionText {
  /** Is the question, or a text about it. */
  text: string;
  /** Reads it. A model that goes by rules reads the question alone. */
  reader: Pick<Model, "followsPrompts">;
  observations?: readonly Observation[];
}

/**
 * Returns a text about the question behind the day, together with the images and documents that came with the question, and with
 * the images that tools returned.
 */
export function toQuestionContent(run: Run, { text, reader, observations = [] }: QuestionText): MessageContent {
  const { input } = run;
  const note = reader.followsPrompts === false ? undefined : renderQuestionNote(run);
  return fromParts([
    { type: "text", text: joinNote(note, text) },
    ...toFileParts(input.attached ?? [], input),
    ...observations.flatMap(({ call, images }) => labelImages(images, say(input.language, describeOrigin(call.name)))),
  ]);
}

/** Returns references with the texts of documents fenced: a document may say anything. Several images are told apart by name. */
export function toFileParts(
  files: readonly FileRef[],
  { marker, language }: Pick<RunInput, "marker" | "language">,
): ContentPart[] {
  return files.flatMap((part): ContentPart[] => {
    if (part.type === "file") return [{ ...part, text: fence(part.text, marker) }];
    const isNamed = files.length > 1 && part.image.name !== undefined;
    return isNamed ? [{ type: "text", text: describeFile(part, language) }, part] : [part];
  });
}

/** Returns images behind a line that says where they come from. */
export function labelImages(images: readonly ContentPart[], label: string): ContentPart[] {
  return images.length === 0 ? [] : [{ type: "text", text: label }, ...images];
}

export function describeOrigin(tool: string): Text {
  return { zh: `${tool} 返回的图片：`, en: `Images that ${tool} returned:` };
}
