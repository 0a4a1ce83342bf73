export class RecordWithPage<ResponseBody> {
  readonly record: ResponseBody;
  readonly next: string | undefined;

  constructor(record: ResponseBody, next: string | undefined) {
    this.record = record;
    this.next = next;
  }
}

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
