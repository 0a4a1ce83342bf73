/** One record that holds a page of others. The Link of its answer leads to the same record with the next ones. */
export class RecordWithPage<Answer> {
  readonly record: Answer;
  /** The position to go on after; absent on the last page. */
  readonly next: string | undefined;

  constructor(record: Answer, next: string | undefined) {
    this.record = record;
    this.next = next;
  }
}

/** A page of rows as CSV, with its own header row. */
export class CsvPage {
  readonly text: string;
  readonly fileName: string;
  readonly next: string | undefined;

  constructor(text: string, fileName: string, next: string | undefined) {
    this.text = text;
    this.fileName = fileName;
    this.next = next;
  }
}
