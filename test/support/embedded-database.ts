/**
 * Whether the tests run on the embedded database. DynamoDB Local reports other capacity units than AWS, and goes on with a
 * filtered query beyond 1 MB, so what is about these is tested on the embedded one only.
 */
export const isEmbedded = !process.env.DYNAMODB_ENDPOINT;
