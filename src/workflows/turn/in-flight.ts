/** Counts what is under way, so that a turn changes runs only while all of it waits for people. */
export class InFlight {
  private underWay = 0;

  get none(): boolean {
    return this.underWay === 0;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
    }
  }

  /** Inside `during`: a wait that can go on in another run. */
  async apart<T>(wait: () => Promise<T>): Promise<T> {
    this.underWay -= 1;
    try {
      return await wait();
    } finally {
      this.underWay += 1;
    }
  }
}
