/** Validates messages against their contracts: reads lines {"contract": …, "message": …}, prints errors, and exits with 1 if there are any. */
import { createInterface } from 'node:readline';
import { contracts } from './support.js';

const validate = contracts();
for await (const line of createInterface({ input: process.stdin })) {
  const { contract, message } = JSON.parse(line);
  const errors = validate(contract, message);
  if (errors.length > 0) {
    process.exitCode = 1;
    console.log(contract, JSON.stringify(errors), JSON.stringify(message));
  }
}
