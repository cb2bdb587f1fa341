/** Declares a browser type that the declarations of age-encryption use. */
interface AuthenticationExtensionsPRFValues {
  first: ArrayBuffer | ArrayBufferView;
}
