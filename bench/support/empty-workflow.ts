/** The least that a start can lead to. */
export async function empty(_message: string): Promise<void> {}
