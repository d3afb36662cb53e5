import * as z from "zod";
import { type Attachment, longestAttachments, mostAttachments } from "../core/attachment.ts";
import { showValue } from "../core/tools/argument-feedback.ts";
import { decodeBase64, isBase64, isDataUrl, readDataUrl } from "../kit/base64.ts";
import type { Text } from "../kit/locale.ts";

const encodedBytes: Text = {
  zh: "base64，或 base64 的 data: 地址",
  en: "base64, or a data: address in base64",
};

// What is empty is refused by its name when all is taken.
const encoded = z.string().superRefine((written, context) => {
  if (written !== "" && !(/^data:/i.test(written) ? isDataUrl(written) : isBase64(written)))
    context.addIssue({ code: "custom", input: written, params: { allowed: encodedBytes } });
});

/** Defines the images and files that come with a question over MCP and HTTP. Their bytes decide what they are. */
export const attachmentFields = {
  images: z.array(encoded).max(mostAttachments).optional().describe("Each in base64 or as a data: URL."),
  attachments: z
    .array(
      z.strictObject({
        name: z.string().max(255).optional(),
        media_type: z.string().max(100).optional(),
        data: encoded.describe("The bytes in base64, or a data: URL."),
      }),
    )
    .max(mostAttachments)
    .optional()
    .describe("Images, PDF, Word, Excel and text files that the question is about."),
};

export type AttachmentInput = z.infer<z.ZodObject<typeof attachmentFields>>;

/** Takes the files out of an input, so that only their bytes are kept. Returns a text where they are too many or too large. */
export function takeAttachments<T extends AttachmentInput>({
  images = [],
  attachments = [],
  ...input
}: T): { input: Omit<T, keyof AttachmentInput>; attachments: Attachment[] } | { refused: Text } {
  const all = [...images.map((data) => ({ data })), ...attachments];
  const files = all.map(({ name, media_type, data }: NonNullable<AttachmentInput["attachments"]>[number]) => {
    const { mediaType, bytes } = decode(data) ?? { mediaType: undefined, bytes: Buffer.alloc(0) };
    return { name, mediaType: media_type ?? mediaType, bytes };
  });
  const refused = describeExcess(files) ?? describeEmpty(files);
  return refused ? { refused } : { input, attachments: files };
}

function describeEmpty(files: readonly Attachment[]): Text | undefined {
  const index = files.findIndex(({ bytes }) => bytes.length === 0);
  if (index < 0) return undefined;
  const name = showValue(files[index]?.name ?? index + 1);
  return {
    zh: `附件 ${name} 是空的（允许：至少 1 个字节）`,
    en: `the attachment ${name} is empty (allowed: at least one byte)`,
  };
}

function decode(written: string): { mediaType: string | undefined; bytes: Buffer } | undefined {
  if (/^data:/i.test(written)) return readDataUrl(written);
  const bytes = decodeBase64(written);
  return bytes && { mediaType: undefined, bytes };
}

/** Says which limit the files of one question exceed, if they do. */
export function describeExcess(files: readonly Pick<Attachment, "bytes">[]): Text | undefined {
  if (files.length > mostAttachments)
    return {
      zh: `附件有 ${files.length} 个（允许：最多 ${mostAttachments} 个）`,
      en: `${files.length} attachments (allowed: at most ${mostAttachments})`,
    };
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size <= longestAttachments) return undefined;
  const megabytes = longestAttachments / 1_000_000;
  return {
    zh: `附件共 ${Math.ceil(size / 1_000_000)} MB（允许：总共最多 ${megabytes} MB）`,
    en: `attachments of ${Math.ceil(size / 1_000_000)} MB (allowed: at most ${megabytes} MB together)`,
  };
}
