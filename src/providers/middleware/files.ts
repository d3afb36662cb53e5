import { LRUCache } from "lru-cache";
import { describeFile, fromParts, toPlainText } from "../../core/model/message-content.ts";
import type { ContentPart, ImagePart, Message } from "../../core/model/messages.ts";
import { type Model, type ModelRequest, replaceStream, toModelName } from "../../core/model/model.ts";
import type { ModelSettings } from "../../core/model/model-settings.ts";
import { DuetError } from "../../kit/errors.ts";
import { imageTypes } from "../../kit/images/image-type.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatSize } from "../../kit/text/format-count.ts";
import { createDelivery } from "./delivery.ts";
import type { FileKind } from "./endpoints.ts";
import type { ModelContext } from "./middleware.ts";

/** Limits the images of one request, and the bytes of one, where the vendor's row says nothing. */
const usualImages = { most: 50, mostBytes: 20_000_000 };

/** Limits what documents that a vendor reads itself may have, in bytes. In base64 a third is added. */
const longestDocument = 20_000_000;

/**
 * Sends a model only the images and documents that it takes: by what is known of the model, by the limits of its vendor, and by
 * what it has refused before. In place of the others their names and their text are sent, and a notice says so, once in a run.
 * A request that is refused for its images is sent again without them, once and before anything of an answer was handed on.
 */
export function withFiles(next: Model, context: ModelContext): Model {
  const { settings, locale: usual = "en" } = context;
  const refused = context.endpoint?.refused ?? new Set<FileKind>();
  const name = toModelName(next);
  /** Maps the runs to what they have been told. */
  const told = new LRUCache<string, Set<string>>({ max: 1_000 });
  return replaceStream(next, async (request, onEvent, signal) => {
    if (request.messages.every(({ content }) => typeof content === "string"))
      return next.stream(request, onEvent, signal);
    const locale = request.locale ?? usual;
    const notice = (code: string, text: Text): void => {
      const known = told.get(request.run?.id ?? "") ?? new Set();
      if (request.run !== undefined && known.has(text.en)) return;
      told.set(request.run?.id ?? "", known.add(text.en));
      onEvent({ type: "notice", level: "warning", code, message: say(locale, text) });
    };
    const first = chooseFiles(request, settings, { refused, locale });
    for (const reason of first.left) notice("image-left-out", describeLeftOut(name, reason));
    const delivery = createDelivery(onEvent);
    try {
      return await next.stream(first.request, delivery.onEvent, signal);
    } catch (thrown) {
      if (delivery.isFinal || signal.aborted || !(thrown instanceof DuetError)) throw thrown;
      const refusal = findRefusal(thrown, first.kinds);
      if (refusal === undefined) throw thrown;
      if (refusal.lasting) refused.add(refusal.kind);
      notice("image-refused", describeRefusal(name, refusal.kind, thrown));
      const second = chooseFiles(request, settings, { refused: new Set([...refused, refusal.kind]), locale });
      return await next.stream(second.request, onEvent, signal);
    }
  });
}

interface ChosenFiles {
  request: ModelRequest;
  /** Says why images were left out, each reason once. */
  left: Text[];
  /** Lists what is still in the request. */
  kinds: ReadonlySet<FileKind>;
}

function chooseFiles(
  request: ModelRequest,
  settings: ModelSettings,
  { refused, locale }: { refused: ReadonlySet<FileKind>; locale: Locale },
): ChosenFiles {
  const { documents = [], images: { most = usualImages.most } = {} } = settings.quirks;
  const sees = settings.capabilities?.vision !== false && !refused.has("image");
  const left = new Map<string, Text>();
  const kinds = new Set<FileKind>();
  let images = 0;
  function leaveOut(part: ImagePart, why: Text): ContentPart {
    left.set(why.en, why);
    return { type: "text", text: describeFile(part, locale, notSent) };
  }
  function choose(part: ContentPart): ContentPart {
    if (part.type === "text") return part;
    if (part.type === "file") {
      const isTaken = sees && !refused.has("document") && documents.includes(part.file.mediaType);
      if (!isTaken || part.file.size > longestDocument) return { type: "text", text: toPlainText([part], locale) };
      kinds.add("document");
      return part;
    }
    const problem = sees ? findImageProblem(part, settings) : unseen;
    if (problem) return leaveOut(part, problem);
    if (images >= most) return leaveOut(part, describeMost(most));
    images += 1;
    kinds.add("image");
    return part;
  }
  // The newest images are kept when they are too many.
  const messages = request.messages.toReversed().map((message): Message => {
    if (message.role === "system" || message.role === "assistant" || typeof message.content === "string")
      return message;
    const parts = message.content.toReversed().map(choose).toReversed();
    return { ...message, content: fromParts(parts) };
  });
  return { request: { ...request, messages: messages.reverse() }, left: [...left.values()], kinds };
}

function findImageProblem({ image, width = 0, height = 0 }: ImagePart, { quirks }: ModelSettings): Text | undefined {
  const { types = imageTypes, mostBytes = usualImages.mostBytes, longestSide } = quirks.images ?? {};
  const allowed = types.map((type) => type.slice("image/".length).toUpperCase()).join(", ");
  if (!types.some((type) => type === image.mediaType))
    return {
      zh: `不接受 ${image.mediaType}（可用：${allowed}）`,
      en: `${image.mediaType} is not accepted (accepted: ${allowed})`,
    };
  if (image.size > mostBytes) {
    const [size, limit] = [formatSize(image.size), formatSize(mostBytes)];
    return { zh: `图片有 ${size}，上限 ${limit}`, en: `an image has ${size}; the limit is ${limit}` };
  }
  if (longestSide !== undefined && Math.max(width, height) > longestSide)
    return {
      zh: `图片有 ${width}×${height} 像素，每边上限 ${longestSide}`,
      en: `an image has ${width}×${height} pixels; the limit is ${longestSide} a side`,
    };
  return undefined;
}

const notSent: Text = { zh: "没有发送", en: "not sent" };
const unseen: Text = { zh: "这个模型不看图片", en: "this model does not see images" };

function describeMost(most: number): Text {
  return { zh: `一次请求最多 ${most} 张图片`, en: `a request takes at most ${most} images` };
}

function describeLeftOut(name: string, why: Text): Text {
  return {
    zh: `没有把图片发给 ${name}：${why.zh}。模型只看到它的名称和大小。`,
    en: `Images were not sent to ${name}: ${why.en}. The model reads their names and sizes instead.`,
  };
}

function describeRefusal(name: string, kind: FileKind, { text }: DuetError): Text {
  const what = kind === "image" ? { zh: "图片", en: "images" } : { zh: "文件", en: "documents" };
  return {
    zh: `${name} 拒绝了${what.zh}，已去掉并重新发送。原错误：${text.zh}`,
    en: `${name} refused ${what.en}; sending the request again without them. It said: ${text.en}`,
  };
}

interface FileRefusal {
  kind: FileKind;
  /** Is true when the model will refuse all of them, and not only what was sent now. */
  lasting: boolean;
}

/** Returns what the vendor refused to read, and undefined for a refusal that has another reason. */
function findRefusal({ code, status, text: { en } }: DuetError, kinds: ReadonlySet<FileKind>): FileRefusal | undefined {
  const isRefusal = code === "invalid_request" || (status !== undefined && [400, 404, 415, 422, 500].includes(status));
  if (!isRefusal) return undefined;
  if (kinds.has("document") && aboutDocuments.test(en)) return { kind: "document", lasting: !aboutOne.test(en) };
  if (kinds.has("image") && aboutImages.test(en))
    return { kind: "image", lasting: !aboutOne.test(en) || /at most 0 image/i.test(en) };
  return undefined;
}

const aboutImages = /image|vision|multi-?modal|modalit|content(\[\d+\])?\.?type|must be a string|expected `?text`?/i;
const aboutDocuments = /\bpdf\b|document|input_file|file_data|\bfile\b/i;
/** Refusals of one image or document say what is wrong with it. */
const aboutOne =
  /could not process|exceed|too (large|big|small|many)|at most|invalid image|unsupported image|damaged|corrupt|dimension|decode|download|base64|media.?type|maximum|limit/i;
