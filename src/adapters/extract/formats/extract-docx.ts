import type { JsonObject } from '#contract/json.ts';
import { openPackage } from '../ooxml/open-package.ts';
import { readXml } from '../ooxml/read-xml.ts';
import { bodyReader } from '../ooxml/word-body.ts';

const mainType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

/** `{format, blocks}`: paragraphs and tables of the body in document order (docs/spec/verification.md §4.3). */
export function extractDocx(bytes: Uint8Array): JsonObject {
  const document = openPackage(bytes, mainType);
  const body = bodyReader();
  readXml(document.read(document.main), body.reader);
  return { format: 'docx', blocks: body.blocks.map((block) => ({ ...block })) };
}
