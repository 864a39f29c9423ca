import type { JsonObject } from '#contract/json.ts';
import { overLimit, unreadable } from '../archive/archive-limits.ts';
import { type OfficePackage, openPackage } from '../ooxml/open-package.ts';
import { readXml } from '../ooxml/read-xml.ts';
import { readSlide } from '../ooxml/slide-shapes.ts';
import { textBudget } from '../text-budget.ts';

const mainType = 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml';
const maxSlides = 500;

/**
 * `{format, slides}` in the order shown, hidden ones too (docs/spec/verification.md §4.3). Text that a slide takes from
 * its layout, charts and drawings made of other parts are not read.
 */
export function extractPptx(bytes: Uint8Array): JsonObject {
  const document = openPackage(bytes, mainType);
  const budget = textBudget();
  const slides = slideParts(document).map((part, index) => {
    const { title, paragraphs, tables } = readSlide(document.read(part), budget);
    return { number: index + 1, title, paragraphs, tables, notes: notesOf(document, part, budget) };
  });
  return { format: 'pptx', slides };
}

function slideParts(document: OfficePackage): readonly string[] {
  const related = document.relations(document.main).filter(({ kind }) => kind === 'slide');
  const parts = new Map(related.map(({ id, part }) => [id, part]));
  const slides: string[] = [];
  readXml(document.read(document.main), {
    open: (name, attribute) => {
      if (name !== 'p:sldId') return;
      const part = parts.get(attribute('r:id') ?? '');
      if (part === undefined) throw unreadable('a slide of the presentation is missing');
      slides.push(part);
      if (slides.length > maxSlides) throw overLimit('the presentation has over 500 slides');
    },
  });
  return slides;
}

function notesOf(document: OfficePackage, slide: string, budget: ReturnType<typeof textBudget>): string {
  const notes = document.relations(slide).find(({ kind }) => kind === 'notesSlide');
  return notes === undefined ? '' : readSlide(document.read(notes.part), budget).body.join('\n');
}
