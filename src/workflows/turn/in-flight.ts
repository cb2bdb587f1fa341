/** Counts work in progress: a turn continues in another run only while all of it waits for people. */
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

  /** Inside `during`: a wait that another run can continue, so it is not counted. */
  async apart<T>(wait: () => Promise<T>): Promise<T> {
    this.underWay -= 1;
    try {
      return await wait();
    } finally {
      this.underWay += 1;
    }
  }
}
