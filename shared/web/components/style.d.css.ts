/** The bundler puts the file's text in its place. */
declare const text: string;
export default text;
