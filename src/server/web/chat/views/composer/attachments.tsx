import { useEffect, useRef, useState } from "preact/hooks";
import { ignoreRejection } from "../../../../../kit/async/ignore-rejection.ts";
import type { Text } from "../../../../../kit/locale.ts";
import type { AttachedFile } from "../../api/api.ts";
import { type AttachmentLimits, widestAttachments } from "../../api/server-settings.ts";
import { toDataUrl } from "../../data-url.ts";
import { measureBase64 } from "../../measure-base64.ts";
import {
  describeAttachmentLimits,
  describeEmptyFile,
  describeTooLargeFile,
  describeTooLargeFiles,
  describeTooManyFiles,
  describeUnreadable,
  turnTexts,
} from "../../state/turn-texts.ts";
import { Icon } from "../controls/icon.tsx";
import { type PageModel, usePage, useSay } from "../page-model.ts";
import { FileChip } from "./file-chip.tsx";

/** Shows the files that will come with the question, and takes more by drag and paste. */
export function Attachments() {
  const { chat, files, unreadable } = usePage();
  const say = useSay();
  const isDragged = useDroppedFiles();
  const problem =
    findFileProblem(files.value, chat.value.settings?.attachments ?? widestAttachments) ??
    describeUnreadable(unreadable.value);
  return (
    <>
      {isDragged && <div class="drop-here">{say(turnTexts.drop)}</div>}
      {files.value.length > 0 && (
        <ul class="files">
          {files.value.map((file, index) => (
            <FileChip
              key={`${file.name} ${index}`}
              file={{ name: file.name, mediaType: file.media_type, size: measureBase64(file.data) }}
              picture={file.media_type.startsWith("image/") ? `data:${file.media_type};base64,${file.data}` : undefined}
              remove={() => {
                files.value = files.value.filter((each) => each !== file);
              }}
            />
          ))}
        </ul>
      )}
      <p class="message-word" role="alert" hidden={problem === undefined}>
        {problem === undefined ? "" : say(problem)}
      </p>
    </>
  );
}

/** Says which limit the files exceed, or which of them is empty, if that is so. */
export function findFileProblem(
  files: readonly AttachedFile[],
  { maxFiles, maxFileBytes, maxBytes }: AttachmentLimits,
): Text | undefined {
  const bytes = files.reduce((sum, file) => sum + measureBase64(file.data), 0);
  if (files.length > maxFiles) return describeTooManyFiles(files.length, maxFiles);
  const large = files.find(({ data }) => measureBase64(data) > maxFileBytes);
  if (large !== undefined) return describeTooLargeFile(large.name, measureBase64(large.data), maxFileBytes);
  if (bytes > maxBytes) return describeTooLargeFiles(bytes, maxBytes);
  const empty = files.find(({ data }) => data === "");
  return empty && describeEmptyFile(empty.name);
}

/** Opens the choice of files. Its hint says how much may be attached. */
export function AttachButton() {
  const page = usePage();
  const { chat, message } = page;
  const say = useSay();
  const input = useRef<HTMLInputElement>(null);
  const limits = say(describeAttachmentLimits(chat.value.settings?.attachments ?? widestAttachments));
  return (
    <>
      <button
        type="button"
        class="attach"
        aria-label={say(turnTexts.attach)}
        title={`${say(turnTexts.attach)}\n${limits}`}
        aria-description={limits}
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={input}
        class="choose-files"
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          const chosen = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          message.current?.focus();
          void addFiles(chosen, page);
        }}
      />
    </>
  );
}

/** Reads the files of a paste or a drop; false where there are none. */
export function hasFiles(data: DataTransfer | null): data is DataTransfer {
  return data !== null && data.files.length > 0;
}

/** Reads files, and adds those that can be read to what will come with the question. A folder cannot, and neither can a file that is gone. */
export async function addFiles(
  chosen: Iterable<File>,
  { files, unreadable }: Pick<PageModel, "files" | "unreadable">,
): Promise<void> {
  const all = [...chosen];
  const read = await Promise.all(all.map((file) => ignoreRejection(readFile(file), "the page names the file")));
  files.value = [...files.value, ...read.filter((file) => file !== undefined)];
  unreadable.value = all.filter((_, index) => read[index] === undefined).map(({ name }) => name);
}

async function readFile(file: File): Promise<AttachedFile> {
  const address = await toDataUrl(file);
  // Of an empty file some browsers give no comma.
  const data = address.replace(/^[^,]*,?/, "");
  return { name: file.name, media_type: file.type || "application/octet-stream", data };
}

/** Takes files that are dropped anywhere on the page. Returns true while some are held over it. */
function useDroppedFiles(): boolean {
  const page = usePage();
  const [isDragged, setDragged] = useState(false);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const hasDraggedFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;
    window.addEventListener(
      "dragover",
      (event) => {
        if (!hasDraggedFiles(event)) return;
        event.preventDefault();
        setDragged(true);
      },
      { signal },
    );
    window.addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && setDragged(false), {
      signal,
    });
    window.addEventListener(
      "drop",
      (event) => {
        setDragged(false);
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        void addFiles(event.dataTransfer.files, page);
      },
      { signal },
    );
    return () => leaving.abort();
  }, []);
  return isDragged;
}
