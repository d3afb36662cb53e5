import { expect, test } from "vitest";
import { longestAttachments, mostAttachments } from "../../src/core/attachment.ts";
import { describeExcess, takeAttachments } from "../../src/runs/attachment-input.ts";

const bytes = Buffer.from("ABC");

test("the files of an input become bytes, and none of their base64 is left in it", () => {
  const input = {
    question: "What is this?",
    images: ["QUJD", "data:image/png;base64,QUJD"],
    attachments: [{ name: "a.pdf", media_type: "application/pdf", data: "data:text/plain;base64,QUJD" }],
  };
  expect(takeAttachments(input)).toEqual({
    input: { question: "What is this?" },
    attachments: [
      { bytes, name: undefined, mediaType: undefined },
      { bytes, name: undefined, mediaType: "image/png" },
      { bytes, name: "a.pdf", mediaType: "application/pdf" },
    ],
  });
});

test("an empty file is refused by its name", () => {
  const good = { name: "good.txt", data: "QUJD" };
  expect(takeAttachments({ attachments: [good, { name: "empty.txt", data: "" }] })).toEqual({
    refused: {
      zh: '附件 "empty.txt" 是空的（允许：至少 1 个字节）',
      en: 'the attachment "empty.txt" is empty (allowed: at least one byte)',
    },
  });
});

test("images and attachments together are at most 20, and 50 MB", () => {
  const images = Array(mostAttachments).fill("QUJD");
  expect(takeAttachments({ images, attachments: [{ data: "QUJD" }] })).toEqual({
    refused: { zh: "附件有 21 个（允许：最多 20 个）", en: "21 attachments (allowed: at most 20)" },
  });
  expect(describeExcess([{ bytes: Buffer.alloc(longestAttachments) }])).toBeUndefined();
  expect(describeExcess([{ bytes: Buffer.alloc(longestAttachments) }, { bytes }])).toEqual({
    zh: "附件共 51 MB（允许：总共最多 50 MB）",
    en: "attachments of 51 MB (allowed: at most 50 MB together)",
  });
});
