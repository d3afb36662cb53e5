import { prepareImage } from "../../core/files/prepare-image.ts";
import type { ImagePart } from "../../core/model/messages.ts";
import type { ToolResult } from "../../core/tools/tool.ts";
import { replaceMediaText } from "../../core/tools/tool-images.ts";
import { say, type Text } from "../../kit/locale.ts";
import type { Run } from "../run.ts";

/** Limits the images of tools in one run. Each costs tokens in every turn that follows. */
export const mostRunImages = 20;

export interface ShownResult {
  result: ToolResult;
  images: ImagePart[];
}

/**
 * Takes the images out of a tool's result, and adds them to the run. The text names each, and says why one is not shown; base64
 * is never left in it.
 */
export function takeImages(run: Run, { images: found = [], ...rest }: ToolResult): ShownResult {
  const { language } = run.input;
  const images: ImagePart[] = [];
  const notes: string[] = [];
  for (const bytes of found) {
    const made = run.state.images.length < mostRunImages ? prepareImage(bytes) : { refusal: tooMany };
    if ("refusal" in made) notes.push(say(language, describeHidden(made.refusal)));
    else if (!run.services.files.add(made)) notes.push(say(language, describeHidden(tooMany)));
    else {
      images.push(made.part);
      run.state.images.push(made.part);
    }
  }
  const hide = (text: string): string => replaceMediaText(text, language);
  const text = [hide(rest.text), ...new Set(notes)].join("\n");
  if (text === rest.text) return { result: rest, images };
  const { shown, error } = rest;
  const result: ToolResult = {
    ...rest,
    text,
    ...(shown !== undefined && { shown: hide(shown) }),
    ...(error && { error: { ...error, message: hide(error.message) } }),
  };
  return { result, images };
}

const tooMany: Text = {
  zh: `一次运行最多 ${mostRunImages} 张图片`,
  en: `a run shows at most ${mostRunImages} images`,
};

function describeHidden(why: Text): Text {
  return { zh: `（有图片没有显示：${why.zh}）`, en: `(An image is not shown: ${why.en}.)` };
}
