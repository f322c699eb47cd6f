/** An error that an HTTP client sees, with a status and a code. */
export class RequestError extends Error {
  constructor(status, code, message, details = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** An event that can never be processed: it becomes a dead letter at once. */
export class PermanentError extends Error {}

/** A message that is no event at all. It becomes a dead letter, and somebody has to look at its producer. */
export class PoisonError extends PermanentError {}
