namespace Sample
{
    static class Program
    {
        static void Main()
        {
            using (var game = new SampleGame()) game.Run();
        }
    }
}
