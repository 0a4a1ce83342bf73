/** An error response of S3. */
export interface ObjectRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export const refusal = (status: number, code: string, message: string): ObjectRefusal => ({ status, code, message });

export const signatureMismatch = refusal(
  403,
  'SignatureDoesNotMatch',
  'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
);
