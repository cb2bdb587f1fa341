/** The smallest workflow that can be started. */
export async function empty(_message: string): Promise<void> {}
