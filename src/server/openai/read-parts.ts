import { isRecord, toText } from "../../kit/json.ts";
import {
  type PartReaders,
  readAddress,
  readFileData,
  readParts,
  type WireContent,
} from "../model-api/read/read-parts.ts";

/** Reads the content of a message: a text, or parts that are texts, images and files. Throws `HttpRefusalError` (400) for any other. */
export function readContent(content: unknown, place: string): WireContent {
  return readParts(content, place, readers);
}

/** Returns what a message says in words. */
export function readText(content: unknown, place: string): string {
  return readContent(content, place).text;
}

const noImage = {
  zh: "没有可用的图片（允许：image_url.url 为 http、https 或 base64 的 data: 地址）",
  en: "there is no image (allowed: image_url.url with an http, https or data: URL in base64)",
};

const noFile = {
  zh: "没有可用的文件（允许：file.file_data 为 base64 或 base64 的 data: 地址）",
  en: "there is no file (allowed: file.file_data in base64, or a data: URL in base64)",
};

const noUploads = {
  zh: "不支持 file_id，Duet 不保存上传的文件（允许：file.file_data 为 base64 或 base64 的 data: 地址）",
  en: "file_id is not supported, because Duet keeps no uploaded files (allowed: file.file_data in base64, or a data: URL in base64)",
};

const readers: PartReaders = {
  texts: { text: "text", refusal: "refusal" },
  files: {
    image_url: ({ image_url: image }, place) => readAddress(isRecord(image) ? image.url : image, place, noImage),
    file({ file }, place) {
      const { file_data, file_id, filename } = isRecord(file) ? file : {};
      return readFileData(file_data, filename, place, toText(file_id) === "" ? noFile : noUploads);
    },
  },
  allowed: "text, image_url, file",
};
