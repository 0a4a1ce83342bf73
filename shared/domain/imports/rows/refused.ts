/** Why a cell is no value of its column, as the end of a sentence that begins with the column's name. */
export class Refused {
  readonly predicate: string;

  constructor(predicate: string) {
    this.predicate = predicate;
  }
}
